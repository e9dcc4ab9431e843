import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'

interface SectionProps {
  readonly title: string
  readonly meta?: ReactNode
  readonly children: ReactNode
}

export function Section({ title, meta, children }: SectionProps) {
  return (
    <section className="space-y-2">
      <div className="flex min-h-6 items-center justify-between gap-2">
        <h3 className="text-muted text-xs font-semibold tracking-wide uppercase">{title}</h3>
        {meta}
      </div>
      {children}
    </section>
  )
}

/** A section whose content is read when the reader asks for it. */
interface SectionOnDemandProps extends Omit<SectionProps, 'meta'> {
  /** It is open from outside. */
  readonly opened?: boolean
}

export function SectionOnDemand({ title, opened = false, children }: SectionOnDemandProps) {
  const [isOpen, setOpen] = useState(false)
  if (isOpen || opened) return <Section title={title}>{children}</Section>
  return <Button onClick={() => setOpen(true)}>{title}</Button>
}

interface Fact {
  readonly label: string
  readonly value: ReactNode
}

/** Short facts in a row. Facts without a value are left out. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  const known = facts.filter(({ value }) => value !== null && value !== undefined && value !== '')
  return (
    <dl className="flex flex-wrap gap-x-6 gap-y-2">
      {known.map(({ label, value }) => (
        <div key={label} className="min-w-0">
          <dt className="text-muted text-xs">{label}</dt>
          <dd className="font-medium break-words tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
