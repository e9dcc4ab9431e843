import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

interface SentenceProps {
  readonly icon: LucideIcon
  /** Backticks stand around what was recorded. */
  readonly text: string
  /** Links. */
  readonly children: ReactNode
}

/** A sentence of the service about a run, and links below it. */
export function Sentence({ icon: Icon, text, children }: SentenceProps) {
  return (
    <div className="mt-1.5 flex items-start gap-2 text-sm">
      <Icon className="text-fail mt-0.5 size-4 shrink-0" aria-hidden />
      <div className="min-w-0">
        <p className="line-clamp-4 wrap-anywhere sm:line-clamp-2" title={text}>
          {text.split('`').map((part, at) => (at % 2 === 0 ? part : <code key={at}>{part}</code>))}
        </p>
        <p className="flex flex-wrap gap-x-3">{children}</p>
      </div>
    </div>
  )
}

export const LINK = 'text-accent flex min-h-6 items-center underline'
