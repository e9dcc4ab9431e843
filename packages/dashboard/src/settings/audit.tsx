import { AUDIT_ACTIONS, type AuditAction } from '@spoor/contract/audit'
import type { AuditEntry } from '@spoor/contract/schemas/audit'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { auditFile, auditQuery } from '../api/audit.ts'
import { useMay } from '../lib/hooks/use-session.ts'
import { TableHead } from '../ui/column-heads.tsx'
import { Select } from '../ui/field.tsx'
import { More } from '../ui/more.tsx'
import { EmptyState, Loading } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import { ROW, Section, TABLE } from './section.tsx'

const ANY = 'any action'

export function Audit() {
  const mayRead = useMay('manage')
  const [choice, setChoice] = useState<AuditAction | typeof ANY>(ANY)
  const filters = choice === ANY ? {} : { action: choice }
  return (
    <Section
      title="Audit log"
      text="Who changed, deleted and exported what in this project, and which requests were refused. Spoor keeps entries for the time under Limits."
      actions={
        mayRead && (
          <>
            <Select
              aria-label="Action"
              className="w-auto!"
              value={choice}
              onChoice={setChoice}
              options={[ANY, ...AUDIT_ACTIONS]}
            />
            <a
              className="text-accent inline-flex items-center gap-1.5 text-sm hover:underline"
              href={auditFile(filters)}
              download
            >
              <Download aria-hidden className="size-4" /> Export
            </a>
          </>
        )
      }
    >
      {mayRead ? (
        <Entries filters={filters} />
      ) : (
        <EmptyState title="The audit log needs the scope manage">Sign in with a key that has it.</EmptyState>
      )}
    </Section>
  )
}

function Entries({ filters }: { filters: { readonly action?: AuditAction } }) {
  const query = useInfiniteQuery(auditQuery(filters))
  const { data } = query
  if (data === undefined) return <Loading query={query} rows={8} />
  const entries = data.pages.flatMap((page) => page.entries)
  if (entries.length === 0) return <EmptyState title="No entries">Nothing was recorded yet.</EmptyState>
  return (
    <>
      <table className={TABLE}>
        <TableHead className="max-md:sr-only" of={['Time', 'Action', 'By', 'Target', 'Detail']} />
        <tbody>
          {entries.map((entry) => (
            <Entry key={entry.id} entry={entry} />
          ))}
        </tbody>
      </table>
      <More query={query} end="No older entries" />
    </>
  )
}

const CELL = 'align-top break-words max-md:block max-md:px-0 max-md:py-0.5 px-2 py-2 md:first:pl-4 md:last:pr-4'

function Entry({ entry: { at, action, actor, target, detail } }: { entry: AuditEntry }) {
  return (
    <tr className={`${ROW} max-md:block max-md:px-4 max-md:py-3`}>
      <td className={`${CELL} text-muted whitespace-nowrap`}>
        <Time at={at} />
      </td>
      <td className={`${CELL} font-medium ${action === 'access.refused' ? 'text-fail' : ''}`}>{action}</td>
      <td className={CELL} title={actor.id ?? undefined}>
        {actor.name === null ? actor.kind : <bdi>{actor.name}</bdi>}
        {actor.kind === 'session' && <span className="text-muted"> (session)</span>}
      </td>
      <td className={`${CELL} max-w-72`}>
        <span className="font-mono text-xs">{target.id ?? target.kind}</span>
      </td>
      <td className={`${CELL} max-w-96`}>
        {Object.entries(detail).map(([name, value]) => (
          <div key={name} className="text-xs">
            <span className="text-muted">{name}</span> <bdi>{print(value)}</bdi>
          </div>
        ))}
      </td>
    </tr>
  )
}

function print(value: unknown): string {
  if (typeof value === 'string') return value
  return Array.isArray(value) ? value.map(print).join(', ') : JSON.stringify(value)
}
