import type { ReactNode } from 'react'

interface SectionProps {
  readonly title: string
  /** What the section is about. */
  readonly text: ReactNode
  /** Buttons at the end. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

export function Section({ title, text, actions, children }: SectionProps) {
  return (
    <section aria-label={title} className="flex flex-1 flex-col">
      <div className="flex flex-wrap items-start gap-x-6 gap-y-3 px-4 py-4">
        <div className="max-w-3xl min-w-0">
          <h2 className="font-semibold">{title}</h2>
          <div className="text-muted text-sm">{text}</div>
        </div>
        {actions && <div className="ml-auto flex flex-wrap items-center gap-2">{actions}</div>}
      </div>
      {children}
    </section>
  )
}

export const TABLE = 'w-full border-t text-left text-sm'
export const ROW = 'hover:bg-hover border-b'
export const CELL = 'px-2 py-2 first:pl-4 last:pr-4'
