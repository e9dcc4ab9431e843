import { CLUSTER_TRACES_MAX, CLUSTER_WINDOW_HOURS_MAX, CLUSTERS } from '@spoor/contract/limits'
import { asApiError } from '../../api/client/api-error.ts'
import { formatCount } from '../../lib/format-number.ts'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Field, Input } from '../../ui/field.tsx'

export interface NumberField {
  /** The name in the API. */
  readonly name: string
  readonly label: string
  readonly hint?: string
}

export const DISCOVERY_FIELDS: readonly NumberField[] = [
  {
    name: 'window_hours',
    label: 'Window (hours)',
    hint: `1 to ${CLUSTER_WINDOW_HOURS_MAX}; at most the newest ${formatCount(CLUSTER_TRACES_MAX)} traces`,
  },
  { name: 'k_min', label: 'Min clusters', hint: `At least ${CLUSTERS.least}` },
  { name: 'k_max', label: 'Max clusters', hint: `At most ${CLUSTERS.most}` },
]

interface NumberFieldsProps {
  readonly fields: readonly NumberField[]
  readonly values: Readonly<Record<string, string>>
  onChange(name: string, value: string): void
  readonly error: unknown
}

/** Whole-number fields of a request, each with its error. */
export function NumberFields({ fields, values, onChange, error }: NumberFieldsProps) {
  return fields.map(({ name, label, hint }) => (
    <Field
      key={name}
      label={label}
      hint={hint}
      error={error === null || error === undefined ? undefined : asApiError(error).of(`/${name}`)}
    >
      {(props) => (
        <Input
          {...props}
          type="number"
          inputMode="numeric"
          step="1"
          value={values[name] ?? ''}
          onChange={(event) => onChange(name, event.target.value)}
        />
      )}
    </Field>
  ))
}

interface OnlyCompleteProps {
  readonly checked: boolean
  onChange(checked: boolean): void
}

export function OnlyComplete({ checked, onChange }: OnlyCompleteProps) {
  return (
    <Checkbox
      label="Only complete traces"
      hint="Leaves out traces that are still growing."
      checked={checked}
      onChange={({ target }) => onChange(target.checked)}
    />
  )
}

/** Errors that belong to no field: neither to one of these nor to FailureField. */
export function FormProblem({ error, fields }: { error: unknown; fields: readonly NumberField[] }) {
  if (error === null || error === undefined) return null
  const problem = asApiError(error)
  const shown = [...fields.map(({ name }) => name), 'failure_by']
  if (shown.some((name) => problem.of(`/${name}`) !== undefined)) return null
  return (
    <p role="alert" className="text-fail text-sm break-words">
      {problem.message}
    </p>
  )
}
