import type { CreatedKey } from '@spoor/contract/schemas/key'
import { useState } from 'react'
import { Modal } from '../ui/modal.tsx'
import { SecretOnce } from '../ui/secret-once.tsx'
import { KeyForm } from './key-form.tsx'

interface NewKeyProps {
  readonly projectId: string
  /** Set when it is another project than the current one. */
  readonly projectName?: string
  readonly open: boolean
  onOpenChange(open: boolean): void
  onCreated?(key: CreatedKey): void
}

export function NewKey({ projectId, projectName, open, onOpenChange, onCreated }: NewKeyProps) {
  const [created, setCreated] = useState<CreatedKey | null>(null)
  const close = () => {
    setCreated(null)
    onOpenChange(false)
  }
  return (
    <Modal
      title={created === null ? 'New API key' : 'Key created'}
      {...(projectName === undefined ? {} : { description: <bdi>{`For project ${projectName}`}</bdi> })}
      open={open}
      onOpenChange={close}
    >
      {created === null ? (
        <KeyForm
          projectId={projectId}
          onCancel={close}
          onCreated={(key) => {
            setCreated(key)
            onCreated?.(key)
          }}
        />
      ) : (
        <SecretOnce secret={created.secret} label="API key" onDone={close}>
          <p>
            Clients send it in the header <code className="font-mono text-xs">x-api-key</code>. It is active now.
          </p>
        </SecretOnce>
      )}
    </Modal>
  )
}
