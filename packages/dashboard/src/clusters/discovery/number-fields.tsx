import { CLUSTER_TRACES_MAX, CLUSTER_WINDOW_HOURS_MAX, CLUSTERS } from '@spoor/contract/limits'
import { asApiError } from '../../api/client/api-error.ts'
import { formatCount } from '../../lib/format-number.ts'
import { Field, Input } from '../../ui/field.tsx'

export interface NumberField {
  /** As the API names it. */
  readonly name: string
  readonly label: string
  readonly hint?: string
}

export const DISCOVERY_FIELDS: readonly NumberField[] = [
  {
    name: 'window_hours',
    label: 'Look back (hours)',
    hint: `1 to ${CLUSTER_WINDOW_HOURS_MAX}; the newest ${formatCount(CLUSTER_TRACES_MAX)} traces at most`,
  },
  { name: 'k_min', label: 'Least clusters', hint: `From ${CLUSTERS.least}` },
  { name: 'k_max', label: 'Most clusters', hint: `To ${CLUSTERS.most}` },
]

interface NumberFieldsProps {
  readonly fields: readonly NumberField[]
  readonly values: Readonly<Record<string, string>>
  onChange(name: string, value: string): void
  readonly error: unknown
}

/** Whole numbers of a request, each with what the service says of it. */
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

/** What the service says that is about no field. */
export function FormProblem({ error, fields }: { error: unknown; fields: readonly NumberField[] }) {
  if (error === null || error === undefined) return null
  const problem = asApiError(error)
  if (fields.some(({ name }) => problem.of(`/${name}`) !== undefined)) return null
  return (
    <p role="alert" className="text-fail text-sm break-words">
      {problem.message}
    </p>
  )
}
