import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { BellRing } from 'lucide-react'
import { monitorsQuery } from '../api/monitors.ts'
import { useMay } from '../lib/hooks/use-session.ts'
import { Time } from '../ui/time.tsx'
import { BehindLink } from './behind-link.tsx'
import { GroupName } from './group-name.tsx'
import { conditionWords } from './monitor-words.ts'
import { latestFiring } from './traces-behind.ts'

const SHOWN = 3

/** The monitors that fired last, each with a link to the runs behind it; nothing if none has. */
export function FiringMonitors() {
  const { data } = useQuery({ ...monitorsQuery, enabled: useMay('read') })
  const fired = (data ?? [])
    .filter(({ state }) => state === 'fired')
    .map((monitor) => Object.assign(latestFiring(monitor), { monitor }))
    .toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))
  if (fired.length === 0) return null
  return (
    <section aria-label="Fired monitors" className="bg-fail-ground border-b px-4 py-2 text-sm">
      <ul className="space-y-1">
        {fired.slice(0, SHOWN).map(({ monitor, at, group }) => (
          <li key={monitor.id} className="flex flex-wrap items-center gap-x-3 gap-y-0.5">
            <Link
              to="/app/monitors/$monitorId"
              params={{ monitorId: monitor.id }}
              className="flex max-w-full min-w-0 items-center gap-2 font-semibold hover:underline"
              title={conditionWords(monitor)}
            >
              <BellRing className="text-fail size-4 shrink-0" aria-hidden />
              <bdi className="truncate">{monitor.name}</bdi>
            </Link>
            {group !== null && <GroupName forEach={monitor.for_each} group={group} />}
            <span className="whitespace-nowrap">
              fired <Time at={at} />
            </span>
            <BehindLink {...{ monitor, at, group }} />
          </li>
        ))}
      </ul>
      {fired.length > SHOWN && (
        <Link to="/app/monitors" search={{ state: 'fired' }} className="text-accent hover:underline">
          View all {fired.length} fired monitors
        </Link>
      )}
    </section>
  )
}
