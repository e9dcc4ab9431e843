import type { Monitor } from '@spoor/contract/schemas/monitor'
import { formatCount } from '../lib/format-number.ts'
import { TableHead } from '../ui/column-heads.tsx'
import { Time } from '../ui/time.tsx'
import { StateBadge } from './monitor-state.tsx'
import { forEachTitle, formatMonitorValue } from './monitor-words.ts'

const CELL = 'px-4 py-1.5'

/** The groups of the last evaluation; null without groups. */
export function GroupTable({ monitor }: { monitor: Monitor }) {
  const { for_each: forEach, groups = [], min_samples: least } = monitor
  if (forEach === null || groups.length === 0) return null
  return (
    <section aria-labelledby="groups" className="border-b">
      <h2 id="groups" className="px-4 py-2.5 font-semibold">
        Groups
      </h2>
      <table className="w-full border-t text-sm tabular-nums">
        <TableHead
          cell="px-4 py-1.5"
          of={[
            ['State', 'w-32'],
            forEachTitle(forEach),
            ['Last value', 'text-right'],
            ['Samples', 'text-right'],
            ['Since', 'text-right max-sm:hidden'],
          ]}
        />
        <tbody>
          {groups.map(({ group, state, state_since, last_value: value, last_samples: samples }) => (
            <tr key={group} className={`border-b ${(samples ?? 0) < least ? 'text-muted' : ''}`}>
              <td className={CELL}>
                <StateBadge state={state} />
              </td>
              <td className={`${CELL} max-w-60 truncate`} title={group}>
                <bdi>{group}</bdi>
              </td>
              <td className={`${CELL} text-right`}>{value === null ? '–' : formatMonitorValue(monitor, value)}</td>
              <td className={`${CELL} text-right`}>{formatCount(samples ?? 0)}</td>
              <td className={`${CELL} text-right max-sm:hidden`}>
                <Time at={state_since} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
