import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { CopyButton } from './copy-button.tsx'

interface SecretOnceProps {
  readonly secret: string
  /** Its name: "API key". */
  readonly label: string
  /** What to do with it. */
  readonly children: ReactNode
  onDone(): void
}

export function SecretOnce({ secret, label, children, onDone }: SecretOnceProps) {
  return (
    <div className="space-y-4">
      <p className="bg-warn-ground text-warn flex gap-2 rounded-md p-3">
        <TriangleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
        <span>Copy it now. It won't be shown again.</span>
      </p>
      <div className="flex items-start gap-2">
        <code
          aria-label={label}
          className="bg-sunken min-w-0 flex-1 rounded-md border px-2.5 py-1.5 font-mono text-sm break-all select-all"
        >
          {secret}
        </code>
        <CopyButton text={secret} label="Copy" labelled />
      </div>
      <div className="text-muted space-y-2">{children}</div>
      <div className="flex justify-end">
        <Button variant="primary" onClick={onDone}>
          Done
        </Button>
      </div>
    </div>
  )
}
