import { Link, useLocation } from '@tanstack/react-router'
import { useSession } from '../lib/hooks/use-session.ts'

/** The lists that have a screen for each of their entries. */
const LISTS = ['traces', 'sessions', 'users', 'metrics', 'monitors', 'clusters', 'webhooks'] as const

/** Where the screen is: its project and, for one entry of a list, that list. */
export function Breadcrumb() {
  const [, , place = '', entry] = useLocation({ select: ({ pathname }) => pathname.split('/') })
  const { project_name: project } = useSession()
  const list = entry === undefined ? undefined : LISTS.find((each) => each === place)
  return (
    <nav aria-label="Breadcrumb" className="text-muted w-full text-xs">
      <ol className="-mt-1 flex min-w-0 gap-1.5 leading-6">
        <li className="min-w-0 truncate">
          <Link to="/app/traces" className="hover:text-ink block min-w-6 truncate" title={project}>
            <bdi>{project}</bdi>
          </Link>
        </li>
        {list !== undefined && (
          <li className="flex gap-1.5 before:content-['/']">
            <Link to={`/app/${list}`} className="hover:text-ink block">
              {list.slice(0, 1).toUpperCase() + list.slice(1)}
            </Link>
          </li>
        )}
      </ol>
    </nav>
  )
}
