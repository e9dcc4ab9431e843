import type { ReactNode } from 'react'

interface FactProps {
  readonly label: string
  /** Its label is above it; otherwise it is only for screen readers, and the fact is in a line. */
  readonly shown?: boolean
  readonly className?: string
  readonly children: ReactNode
}

/** One of the facts of a `dl`. */
export function Fact({ label, shown = false, className = '', children }: FactProps) {
  return (
    <div className={`min-w-0 ${className}`}>
      <dt className={shown ? 'text-muted text-xs' : 'sr-only'}>{label}</dt>
      <dd className={shown ? '' : 'truncate'}>{children}</dd>
    </div>
  )
}
