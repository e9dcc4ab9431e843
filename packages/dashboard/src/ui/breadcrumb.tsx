import { Link, useLocation } from '@tanstack/react-router'
import { useSession } from '../lib/hooks/use-session.ts'

/** The lists that have a screen for each of their entries. */
const LISTS = {
  traces: 'Traces',
  sessions: 'Sessions',
  users: 'Users',
  metrics: 'Metrics',
  monitors: 'Monitors',
  clusters: 'Clusters',
  webhooks: 'Webhooks',
} as const

/** Where the screen is: its project and, for one entry of a list, that list. */
export function Breadcrumb() {
  const [, , place = '', entry] = useLocation({ select: ({ pathname }) => pathname.split('/') })
  const { project_name: project } = useSession()
  const list = entry === undefined || !isList(place) ? null : place
  return (
    <nav aria-label="Breadcrumb" className="text-muted w-full text-xs">
      <ol className="-mt-1 flex min-w-0 gap-1.5 leading-6">
        <li className="min-w-0 truncate">
          <Link to="/app/traces" className="hover:text-ink block min-w-6 truncate" title={project}>
            <bdi>{project}</bdi>
          </Link>
        </li>
        {list !== null && (
          <li className="flex gap-1.5 before:content-['/']">
            <Link to={`/app/${list}`} className="hover:text-ink block">
              {LISTS[list]}
            </Link>
          </li>
        )}
      </ol>
    </nav>
  )
}

function isList(place: string): place is keyof typeof LISTS {
  return Object.hasOwn(LISTS, place)
}
