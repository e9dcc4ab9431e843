import type { ReactNode } from 'react'
import { useDocumentTitle } from '../lib/hooks/use-document-title.ts'
import { Breadcrumb } from './breadcrumb.tsx'

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
        <div className="ml-auto flex flex-wrap items-center gap-2 max-md:my-1 max-md:gap-1">{actions}</div>
      )}
    </header>
  )
}
