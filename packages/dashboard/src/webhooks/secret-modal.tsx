import type { WebhookWithSecret } from '@spoor/contract/schemas/webhook'
import { Modal } from '../ui/modal.tsx'
import { SecretOnce } from '../ui/secret-once.tsx'

interface SecretModalProps {
  readonly title: string
  /** Null: closed. */
  readonly webhook: WebhookWithSecret | null
  onDone(): void
}

/** The secret that the service has just made for a webhook. */
export function SecretModal({ title, webhook, onDone }: SecretModalProps) {
  if (webhook?.secret === undefined) return null
  return (
    <Modal title={title} open onOpenChange={onDone}>
      <SecretOnce secret={webhook.secret} label="Signing secret" onDone={onDone}>
        <p>
          Your receiver checks with it that a delivery is Spoor’s:{' '}
          <code className="font-mono text-xs">x-service-signature</code> is{' '}
          <code className="font-mono text-xs">sha256=</code> and the HMAC-SHA256 of the raw body in hexadecimal.{' '}
          <code className="font-mono text-xs">webhook-signature</code> is as Standard Webhooks has it.
        </p>
      </SecretOnce>
    </Modal>
  )
}
