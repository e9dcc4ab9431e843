import { type ReactNode, useEffect } from 'react'
import { Link, useLocation } from '@tanstack/react-router'
import { useSession } from '../lib/hooks/use-session.ts'
import { OfScreen } from '../lib/hooks/use-shortcuts.ts'

interface PageHeaderProps {
  readonly title: string
  /** Small, beside the title. */
  readonly meta?: ReactNode
  /** Buttons at the end. */
  readonly actions?: ReactNode
}

/** The first line of a screen; also sets the document title. A long title is truncated before the line wraps. */
export function PageHeader({ title, meta, actions }: PageHeaderProps) {
  useDocumentTitle(title)
  return (
    <header className="flex min-h-16 flex-wrap items-center gap-x-3 border-b px-4 py-2">
      <Breadcrumb />
      <h1 className="min-w-0 truncate text-lg font-semibold xl:max-w-max xl:shrink xl:grow xl:basis-40" title={title}>
        <bdi>{title}</bdi>
      </h1>
      {meta !== undefined && <div className="text-muted flex min-w-0 items-center gap-2 text-sm">{meta}</div>}
      {actions !== undefined && (
        <div className="ml-auto flex flex-wrap items-center gap-2 max-md:my-1 max-md:gap-1">
          <OfScreen value>{actions}</OfScreen>
        </div>
      )}
    </header>
  )
}

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
          <Link to="/app/home" className="hover:text-ink block min-w-6 truncate" title={project}>
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

export function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = `${title.slice(0, 80)} · Spoor`
  }, [title])
}
