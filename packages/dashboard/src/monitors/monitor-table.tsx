import type { Monitor } from '@spoor/contract/schemas/monitor'
import { Link } from '@tanstack/react-router'
import { useRef } from 'react'
import { useRowKeys } from '../lib/hooks/use-row-keys.ts'
import { formatCount } from '../lib/format-number.ts'
import { TableHead } from '../ui/column-heads.tsx'
import { Time } from '../ui/time.tsx'
import { BehindLink } from './behind-link.tsx'
import { MonitorStateBadges } from './monitor-state.tsx'
import { COMPARISONS, conditionWords, filterWords, formatMonitorValue, lastValueWords } from './monitor-words.ts'
import { MONITOR_SHOWN, shownState } from './search.ts'
import { latestFiring } from './traces-behind.ts'

const CELL = 'px-4 py-2.5 align-top'

/** Firing ones first. */
export function MonitorTable({ monitors }: { monitors: readonly Monitor[] }) {
  const table = useRef<HTMLTableElement>(null)
  useRowKeys('Monitors', table)
  const order = (monitor: Monitor) => MONITOR_SHOWN.indexOf(shownState(monitor))
  const sorted = monitors.toSorted((a, b) => order(a) - order(b))
  return (
    <table ref={table} className="w-full text-sm">
      <TableHead
        cell="px-4 py-2"
        of={[
          ['State', 'w-28 md:w-36'],
          'Monitor',
          ['Last value', 'text-right max-md:hidden'],
          ['Since', 'w-32 text-right max-md:hidden'],
        ]}
      />
      <tbody>
        {sorted.map((monitor) => (
          <Row key={monitor.id} monitor={monitor} />
        ))}
      </tbody>
    </table>
  )
}

function Row({ monitor }: { monitor: Monitor }) {
  const { id, name, state, last_samples, comparison, threshold, state_since } = monitor
  const value = lastValueWords(monitor)
  const limit = `${COMPARISONS[comparison]} ${formatMonitorValue(monitor, threshold)}`
  return (
    <tr className="hover:bg-hover focus-within:bg-hover relative border-b">
      <td className={CELL}>
        <MonitorStateBadges monitor={monitor} />
      </td>
      <td className={`${CELL} w-full max-w-0`}>
        <Link
          to="/app/monitors/$monitorId"
          params={{ monitorId: id }}
          data-row
          className="block truncate font-medium after:absolute after:inset-0"
          title={name}
        >
          <bdi>{name}</bdi>
        </Link>
        <p className="text-muted truncate" title={conditionWords(monitor)}>
          <bdi>{[conditionWords(monitor), ...filterWords(monitor)].join(' · ')}</bdi>
        </p>
        <p className="text-muted text-xs md:hidden">
          Last {value} ({limit}), since <Time at={state_since} />
        </p>
        {state === 'fired' && <BehindLink monitor={monitor} {...latestFiring(monitor)} />}
      </td>
      <td className={`${CELL} text-right whitespace-nowrap tabular-nums max-md:hidden`}>
        <span className="font-medium">{value}</span> <span className="text-muted">({limit})</span>
        <p className="text-muted text-xs">
          {last_samples === null
            ? 'not evaluated yet'
            : `${formatCount(last_samples)} ${last_samples === 1 ? 'sample' : 'samples'}`}
        </p>
      </td>
      <td className={`${CELL} text-right max-md:hidden`}>
        <Time at={state_since} className="relative z-1" />
      </td>
    </tr>
  )
}
