import type { DiscoveryBody } from '@spoor/contract/schemas/cluster'
import { type SubmitEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Modal } from '../../ui/modal.tsx'
import { FailureField } from './failure-field.tsx'
import { DISCOVERY_FIELDS, FormProblem, NumberFields, OnlyComplete } from './number-fields.tsx'
import type { Discovery } from './use-discovery.ts'

interface DiscoveryFormProps {
  readonly open: boolean
  onOpenChange(open: boolean): void
  readonly discovery: Discovery
  /** Initial values: those of the schedule. */
  readonly initial: Required<DiscoveryBody>
}

export function DiscoveryForm({ open, onOpenChange, ...rest }: DiscoveryFormProps) {
  return (
    <Modal
      title="Discover clusters"
      description="Groups the traces of a time window by requests and actions, names each group and reports its error rate. A group that is found again keeps its id."
      open={open}
      onOpenChange={onOpenChange}
    >
      <Form onDone={() => onOpenChange(false)} {...rest} />
    </Modal>
  )
}

function Form({
  discovery,
  initial,
  onDone,
}: Omit<DiscoveryFormProps, 'open' | 'onOpenChange'> & { onDone: () => void }) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(DISCOVERY_FIELDS.map(({ name }) => [name, String(initial[name as keyof DiscoveryBody])])),
  )
  const [onlyComplete, setOnlyComplete] = useState(initial.only_complete)
  const [failureBy, setFailureBy] = useState(initial.failure_by)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const { window_hours, k_min, k_max } = values
    const numbers = { window_hours: Number(window_hours), k_min: Number(k_min), k_max: Number(k_max) }
    discovery.start({ ...numbers, only_complete: onlyComplete, failure_by: failureBy }, onDone)
  }
  return (
    <form noValidate onSubmit={submit} className="space-y-4">
      <NumberFields
        fields={DISCOVERY_FIELDS}
        values={values}
        onChange={(name, value) => setValues((before) => ({ ...before, [name]: value }))}
        error={discovery.startError}
      />
      <OnlyComplete checked={onlyComplete} onChange={setOnlyComplete} />
      <FailureField value={failureBy} onChange={setFailureBy} error={discovery.startError} />
      <FormProblem error={discovery.startError} fields={DISCOVERY_FIELDS} />
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" variant="primary" disabled={discovery.isStarting}>
          Run discovery
        </Button>
      </div>
    </form>
  )
}
