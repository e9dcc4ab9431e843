import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { Button } from './button.tsx'
import { useToast } from './toasts.tsx'

interface CopyButtonProps {
  /** The text, or a function that creates it when needed. */
  readonly text: string | (() => string | Promise<string>)
  /** The accessible label: "Copy as JSON". */
  readonly label: string
  /** Shows the label beside the icon. */
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
      // Browsers allow the clipboard only over TLS or on localhost.
      toast({ kind: 'fail', text: 'The browser blocks clipboard access on this page. Select the text and copy it.' })
    }
  }
  const Icon = copied ? Check : Copy
  return (
    <Button
      variant={labelled ? 'plain' : 'ghost'}
      icon={labelled ? undefined : Icon}
      aria-label={label}
      title={label}
      onClick={() => void copy()}
      className={`[&>svg]:size-3.5 ${className}`}
    >
      <Icon aria-hidden /> {label}
    </Button>
  )
}
