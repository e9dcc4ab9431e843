import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { Button } from './button.tsx'
import { useToast } from './toasts.tsx'

interface CopyButtonProps {
  /** What is copied; made when it is asked for. */
  readonly text: string | (() => string | Promise<string>)
  /** What it is, for who cannot see the icon: "Copy as JSON". */
  readonly label: string
  /** Whether the label is shown beside the icon. */
  readonly labelled?: boolean
  readonly className?: string
}

export function CopyButton({ text, label, labelled = false, className = '' }: CopyButtonProps) {
  const toast = useToast()
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : await text())
      setCopied(true)
      setTimeout(() => setCopied(false), 1500)
    } catch {
      // Browsers give the clipboard to pages over TLS and on this machine alone.
      toast({ kind: 'fail', text: 'The browser refuses the clipboard to this page. Select the text and copy it.' })
    }
  }
  const Icon = copied ? Check : Copy
  return (
    <Button
      variant={labelled ? 'plain' : 'ghost'}
      icon={!labelled}
      aria-label={label}
      title={label}
      onClick={() => void copy()}
      className={className}
    >
      <Icon className="size-3.5" aria-hidden />
      {labelled && label}
    </Button>
  )
}
