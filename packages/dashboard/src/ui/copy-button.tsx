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
  const copyText = useCopy()
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    if (!(await copyText(typeof text === 'string' ? text : (async () => text())()))) return
    setCopied(true)
    setTimeout(() => setCopied(false), 1500)
  }
  return (
    <Button
      variant={labelled ? 'plain' : 'ghost'}
      icon={copied ? Check : Copy}
      aria-label={label}
      title={label}
      onClick={() => void copy()}
      className={`[&>svg]:size-3.5 ${className}`}
    >
      {labelled ? label : undefined}
    </Button>
  )
}

/** Copies a text, with a message if one is given, or why it failed. Resolves with whether it was copied. */
export function useCopy(): (text: string | Promise<string>, said?: string) => Promise<boolean> {
  const toast = useToast()
  return async (text, said) => {
    try {
      await navigator.clipboard.writeText(await text)
      if (said !== undefined) toast({ kind: 'ok', text: said })
      return true
    } catch {
      // Browsers allow the clipboard only over TLS or on localhost.
      toast({ kind: 'fail', text: 'The browser blocks clipboard access on this page. Select the text and copy it.' })
      return false
    }
  }
}
