import type { ReactNode } from 'react'

/** One of the facts in a line, a `dl`: what it is named for screen readers, and the words. */
export function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="sr-only">{label}</dt>
      <dd className="truncate">{children}</dd>
    </div>
  )
}
