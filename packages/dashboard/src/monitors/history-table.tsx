import type { Monitor, MonitorHistoryEntry } from '@spoor/contract/schemas/monitor'
import { formatCount } from '../lib/format-number.ts'
import { formatDuration } from '../lib/format-time.ts'
import { TableHead } from '../ui/column-heads.tsx'
import { Time } from '../ui/time.tsx'
import { BehindLink } from './behind-link.tsx'
import { GroupName } from './group-name.tsx'
import { StateBadge } from './monitor-state.tsx'
import { forEachTitle, formatMonitorValue } from './monitor-words.ts'

const CELL = 'px-4 py-1.5 max-sm:px-2'
const CAUSES = { evaluation: 'Evaluation', change: 'Changed', disable: 'Disabled', delete: 'Deleted' } as const
/** A change noticed later than this was missed at its time. */
const LATE_MS = 60_000

/** `entries`: newest first. */
export function HistoryTable({ monitor, entries }: { monitor: Monitor; entries: readonly MonitorHistoryEntry[] }) {
  return (
    <table className="w-full border-t text-sm tabular-nums">
      <TableHead
        cell={CELL}
        of={[
          'State',
          ...(monitor.for_each === null ? [] : [forEachTitle(monitor.for_each)]),
          'Time',
          ['Value', `text-right ${monitor.for_each === null ? '' : 'max-sm:hidden'}`],
          ['Threshold', 'text-right max-md:hidden'],
          ['Samples', 'text-right max-md:hidden'],
          ['Cause', 'max-md:hidden'],
          ['Duration', 'text-right max-sm:hidden'],
          ['Behind it', '', 'hidden'],
        ]}
      />
      <tbody>
        {entries.map((entry, index) => (
          <Row
            key={`${entry.recorded_at} ${entry.at} ${entry.to} ${entry.group}`}
            monitor={monitor}
            entry={entry}
            next={entries.slice(0, index).findLast(({ group }) => group === entry.group)}
          />
        ))}
      </tbody>
    </table>
  )
}

function Row({
  monitor,
  entry,
  next,
}: {
  monitor: Monitor
  entry: MonitorHistoryEntry
  next: MonitorHistoryEntry | undefined
}) {
  const { at, group, to, value, threshold, samples, cause, recorded_at, revision } = entry
  // Another revision may have had another unit.
  const isOfToday = revision === monitor.revision
  const format = (number: number) =>
    isOfToday ? formatMonitorValue(monitor, number) : String(Number(number.toPrecision(4)))
  const lateMs = Date.parse(recorded_at) - Date.parse(at)
  return (
    <tr className="border-b">
      <td className={CELL}>
        <StateBadge state={to} />
      </td>
      {monitor.for_each !== null && (
        <td className={`${CELL} max-w-60 truncate max-sm:max-w-32`} title={group ?? undefined}>
          {group === null ? '–' : <GroupName forEach={monitor.for_each} group={group} />}
        </td>
      )}
      <td className={CELL}>
        <Time at={at} />
        {lateMs > LATE_MS && <span className="text-muted block text-xs">noticed {formatDuration(lateMs)} later</span>}
      </td>
      <td className={`${CELL} text-right ${monitor.for_each === null ? '' : 'max-sm:hidden'}`}>
        {value === null ? '–' : format(value)}
      </td>
      <td className={`${CELL} text-right max-md:hidden`}>{format(threshold)}</td>
      <td className={`${CELL} text-right max-md:hidden`}>{formatCount(samples)}</td>
      <td className={`${CELL} max-md:hidden`}>
        {CAUSES[cause]}
        {!isOfToday && <span className="text-muted"> (revision {revision})</span>}
      </td>
      <td className={`${CELL} text-right max-sm:hidden`}>
        {next === undefined ? (
          <span className="text-muted">ongoing</span>
        ) : (
          formatDuration(Date.parse(next.at) - Date.parse(at))
        )}
      </td>
      <td className={`${CELL} whitespace-nowrap`}>
        {/* The filters of another revision are not known. */}
        {to === 'fired' && isOfToday && <BehindLink monitor={monitor} at={at} group={group} />}
      </td>
    </tr>
  )
}
