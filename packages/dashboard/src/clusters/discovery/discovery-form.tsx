import type { DiscoveryBody } from '@spoor/contract/schemas/cluster'
import { FormEnd } from '../../ui/form.tsx'
import { FormModal } from '../../ui/form-modal.tsx'
import { DISCOVERY_NUMBERS, useDiscoveryFields } from './use-discovery-fields.tsx'
import type { Discovery } from './use-discovery.ts'

interface DiscoveryFormProps {
  readonly discovery: Discovery
  /** Initial values: those of the schedule. */
  readonly initial: Required<DiscoveryBody>
  onClose(): void
}

export function DiscoveryForm({ discovery, initial, onClose }: DiscoveryFormProps) {
  const { fields, body } = useDiscoveryFields(DISCOVERY_NUMBERS, initial)
  return (
    <FormModal
      title="Discover clusters"
      description="Groups the traces of a time window by requests and actions, names each group and reports its error rate. A group that is found again keeps its id."
      send={() => discovery.start(body)}
      onClose={onClose}
    >
      {fields}
      <FormEnd submit="Run discovery" onCancel={onClose} />
    </FormModal>
  )
}
