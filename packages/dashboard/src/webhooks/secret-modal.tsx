import type { WebhookWithSecret } from '@spoor/contract/schemas/webhook'
import { Modal } from '../ui/modal.tsx'
import { SecretOnce } from '../ui/secret-once.tsx'

interface SecretModalProps {
  readonly title: string
  /** Null: closed. */
  readonly webhook: WebhookWithSecret | null
  onDone(): void
}

/** Shows the new secret of a webhook. */
export function SecretModal({ title, webhook, onDone }: SecretModalProps) {
  if (webhook?.secret === undefined) return null
  return (
    <Modal title={title} open onOpenChange={onDone}>
      <SecretOnce secret={webhook.secret} label="Signing secret" onDone={onDone}>
        <p>
          Your receiver uses it to verify deliveries: <code className="font-mono text-xs">x-service-signature</code> is{' '}
          <code className="font-mono text-xs">sha256=</code> followed by the HMAC-SHA256 of the raw body in hexadecimal.{' '}
          <code className="font-mono text-xs">webhook-signature</code> follows Standard Webhooks.
        </p>
      </SecretOnce>
    </Modal>
  )
}
