import { type ReactNode, useId } from 'react'

/** A toolbar control with a label above it. */
export function Labelled({ label, children }: { label: string; children: (id: string) => ReactNode }) {
  const id = useId()
  return (
    <div className="min-w-32">
      <label htmlFor={id} className="text-muted block pb-0.5 text-xs">
        {label}
      </label>
      {children(id)}
    </div>
  )
}
