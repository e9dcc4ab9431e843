import type { Delivery } from '@spoor/contract/schemas/delivery'
import { Link } from '@tanstack/react-router'
import { useRef } from 'react'
import { formatDuration } from '../../lib/format-time.ts'
import { useRowKeys } from '../../lib/hooks/use-row-keys.ts'
import { Badge } from '../../ui/badge.tsx'
import { TableHead } from '../../ui/column-heads.tsx'
import { Time, Until } from '../../ui/time.tsx'
import { lastAnswerOf, lastDurationOf, statusOf } from './delivery-words.ts'

export function DeliveryTable({ rows, openId }: { rows: readonly Delivery[]; openId: string | undefined }) {
  const table = useRef<HTMLTableElement>(null)
  useRowKeys('Deliveries', table)
  return (
    <div className="@container">
      <table ref={table} className="w-full table-fixed text-left text-sm">
        <TableHead
          of={[
            'Event',
            ['Status', 'w-24 @2xl:w-28'],
            ['Last response', 'hidden w-44 @2xl:table-cell'],
            ['Attempts', 'hidden w-20 text-right @2xl:table-cell'],
            ['Duration', 'hidden w-24 text-right @2xl:table-cell'],
            ['Next attempt', 'hidden w-32 text-right @2xl:table-cell'],
            ['Created', 'w-28 text-right'],
          ]}
        />
        <tbody>
          {rows.map((delivery) => (
            <DeliveryRow key={delivery.id} delivery={delivery} open={delivery.id === openId} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

const CELL = 'hidden px-2 py-2 @2xl:table-cell'

function DeliveryRow({ delivery, open }: { delivery: Delivery; open: boolean }) {
  const { tone, word } = statusOf(delivery)
  const { attempt_count, next_attempt_at, created_at } = delivery
  const answer = lastAnswerOf(delivery)
  const duration = lastDurationOf(delivery)
  const next = next_attempt_at === null ? null : <Until at={next_attempt_at} className="relative" />
  return (
    <tr className={`relative border-b ${open ? 'bg-selected' : 'hover:bg-hover focus-within:bg-hover'}`}>
      <td className="py-2 pr-2 pl-4 @md:flex @md:items-baseline @md:gap-3">
        <Link
          from="/app/webhooks/$webhookId"
          to="."
          search={(before) => ({ ...before, delivery: delivery.id })}
          replace={open}
          resetScroll={false}
          data-row={delivery.id}
          aria-current={open ? 'true' : undefined}
          className="block shrink-0 truncate font-mono text-xs font-medium @md:w-36 after:absolute after:inset-0"
        >
          {delivery.event}
        </Link>
        <span className="text-muted block min-w-0 truncate font-mono text-xs" title={delivery.event_id}>
          {delivery.event_id}
        </span>
      </td>
      <td className="px-2 py-2">
        <Badge tone={tone}>{word}</Badge>
        <span className="text-muted block text-xs @md:hidden">{answer}</span>
      </td>
      <td className={`${CELL} max-w-0 truncate`} title={answer ?? undefined}>
        {answer ?? <span className="text-muted">—</span>}
      </td>
      <td className={`${CELL} text-right tabular-nums`}>{attempt_count}</td>
      <td className={`${CELL} text-muted text-right tabular-nums`}>
        {duration === null ? '—' : formatDuration(duration)}
      </td>
      <td className={`${CELL} text-right`}>{next ?? <span className="text-muted">—</span>}</td>
      <td className="text-muted py-2 pr-4 pl-2 text-right">
        <Time at={created_at} className="relative" />
        {next !== null && <span className="block text-xs @md:hidden">next {next}</span>}
      </td>
    </tr>
  )
}
