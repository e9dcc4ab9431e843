import type { CreatedKey } from '@spoor/contract/schemas/key'
import { useState } from 'react'
import { Modal } from '../ui/modal.tsx'
import { SecretOnce } from '../ui/secret-once.tsx'
import { KeyForm } from './key-form.tsx'

interface NewKeyProps {
  readonly projectId: string
  /** Of another project than the one that is open. */
  readonly projectName?: string
  readonly open: boolean
  onOpenChange(open: boolean): void
  onMade?(key: CreatedKey): void
}

/** A form, and then the secret, once. */
export function NewKey({ projectId, projectName, open, onOpenChange, onMade }: NewKeyProps) {
  const [made, setMade] = useState<CreatedKey | null>(null)
  const close = () => {
    setMade(null)
    onOpenChange(false)
  }
  return (
    <Modal
      title={made === null ? 'New API key' : 'The key is made'}
      {...(projectName === undefined ? {} : { description: <bdi>{`For the project ${projectName}`}</bdi> })}
      open={open}
      onOpenChange={close}
    >
      {made === null ? (
        <KeyForm
          projectId={projectId}
          onCancel={close}
          onMade={(key) => {
            setMade(key)
            onMade?.(key)
          }}
        />
      ) : (
        <SecretOnce secret={made.secret} label="API key" onDone={close}>
          <p>
            Clients send it in the header <code className="font-mono text-xs">x-api-key</code>. It is in use from now
            on.
          </p>
        </SecretOnce>
      )}
    </Modal>
  )
}
