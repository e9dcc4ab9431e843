import { CLUSTER_TRACES_MAX, CLUSTER_WINDOW_HOURS_MAX, CLUSTERS } from '@spoor/contract/limits'
import type { DiscoveryBody } from '@spoor/contract/schemas/cluster'
import { type ReactNode, useState } from 'react'
import { formatCount } from '../../lib/format-number.ts'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { FailureField } from './failure-field.tsx'

interface NumberField<Name> {
  /** The name in the API. */
  readonly name: Name
  readonly label: string
  readonly hint: string
}

export const DISCOVERY_NUMBERS: readonly NumberField<'window_hours' | 'k_min' | 'k_max'>[] = [
  {
    name: 'window_hours',
    label: 'Window (hours)',
    hint: `1 to ${CLUSTER_WINDOW_HOURS_MAX}; at most the newest ${formatCount(CLUSTER_TRACES_MAX)} traces`,
  },
  { name: 'k_min', label: 'Min clusters', hint: `At least ${CLUSTERS.least}` },
  { name: 'k_max', label: 'Max clusters', hint: `At most ${CLUSTERS.most}` },
]

type Body<Name extends string> = Record<Name, number> & Pick<Required<DiscoveryBody>, 'only_complete' | 'failure_by'>

/** The fields of a discovery, which start with `initial`, and the body that they amount to. */
export function useDiscoveryFields<Name extends string>(
  numbers: readonly NumberField<Name>[],
  initial: Body<Name>,
): { readonly fields: ReactNode; readonly body: Body<Name> } {
  const [typed, setTyped] = useState(initial as Record<Name, number | string>)
  const [onlyComplete, setOnlyComplete] = useState(initial.only_complete)
  const [failureBy, setFailureBy] = useState(initial.failure_by)
  const values = Object.fromEntries(numbers.map(({ name }) => [name, Number(typed[name])])) as Record<Name, number>
  return {
    body: { ...values, only_complete: onlyComplete, failure_by: failureBy },
    fields: (
      <>
        {numbers.map(({ name, label, hint }) => (
          <Field key={name} label={label} hint={hint} at={`/${name}`}>
            <Input
              type="number"
              inputMode="numeric"
              step="1"
              value={typed[name]}
              onText={(text) => setTyped((before) => ({ ...before, [name]: text }))}
            />
          </Field>
        ))}
        <Checkbox
          label="Only complete traces"
          hint="Leaves out traces that are still growing."
          checked={onlyComplete}
          onChange={({ target }) => setOnlyComplete(target.checked)}
        />
        <FailureField value={failureBy} onChange={setFailureBy} />
      </>
    ),
  }
}
