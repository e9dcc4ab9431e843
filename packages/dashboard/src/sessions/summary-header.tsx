import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { PageHeader } from '../ui/page.tsx'

interface SummaryHeaderProps {
  readonly id: string
  /** How a trace names it. */
  readonly field: 'session_id' | 'user_id'
  readonly actions?: ReactNode
}

/** The header of a session or a user. */
export function SummaryHeader({ id, field, actions }: SummaryHeaderProps) {
  return (
    <PageHeader
      title={id}
      meta={
        <Link
          to="/app/traces"
          search={{ [field]: id, range: 'all' }}
          className="hover:text-ink leading-6 whitespace-nowrap underline decoration-dotted inline-block"
        >
          As a list of traces
        </Link>
      }
      actions={actions}
    />
  )
}
