import type { ReactNode } from 'react'
import { asApiError } from '../api/client/api-error.ts'
import { Button } from './button.tsx'

interface EmptyStateProps {
  readonly title: string
  readonly children?: ReactNode
  /** `h1` where nothing else is on the page. */
  readonly of?: 'h1' | 'h2'
}

export function EmptyState({ title, children, of: Heading = 'h2' }: EmptyStateProps) {
  return (
    <div className="flex flex-1 flex-col items-center justify-center gap-3 px-4 py-16 text-center">
      <Heading className="text-lg font-semibold">{title}</Heading>
      {children !== undefined && <div className="text-muted max-w-xl space-y-3 text-balance">{children}</div>}
    </div>
  )
}

const ADVICE: Readonly<Record<string, string>> = {
  unreachable: 'Check that Spoor is running.',
  insufficient_scope: 'Your API key lacks the scope for this. Sign in with one that has it.',
  not_found: 'It may have been deleted, or belong to another project.',
}

export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: () => unknown }) {
  const problem = asApiError(error)
  return (
    <div role="alert" className="flex flex-1 flex-col items-center justify-center gap-3 px-4 py-16 text-center">
      <h2 className="text-lg font-semibold">{problem.status === 404 ? 'Not found' : 'This could not be loaded'}</h2>
      <p className="text-muted max-w-xl break-words">
        {problem.message} {ADVICE[problem.code]}
      </p>
      {problem.requestId !== null && (
        <p className="text-muted text-xs">
          Request <code className="font-mono">{problem.requestId}</code>
        </p>
      )}
      {onRetry !== undefined && <Button onClick={() => onRetry()}>Try again</Button>}
    </div>
  )
}

/** Starts late: without a graphics card, each animation frame slows down loading. */
const PULSE = 'animate-pulse [animation-delay:800ms]'

export function Skeleton({ className = '' }: { className?: string }) {
  return <div aria-hidden className={`bg-hover rounded-md ${PULSE} ${className}`} />
}

export function SkeletonRows({ rows = 8 }: { rows?: number }) {
  return (
    <div role="status" aria-label="Loading" className={`space-y-2 p-4 ${PULSE}`}>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} aria-hidden className="bg-hover h-8 rounded-md" />
      ))}
    </div>
  )
}

interface LoadingProps {
  readonly query: { readonly data: unknown; readonly error: unknown; refetch(): unknown }
  readonly rows?: number
  /** Instead of rows. */
  readonly placeholder?: ReactNode
}

/** What stands for data that is not here: a placeholder, or the error. */
export function Loading({ query: { data, error, refetch }, rows = 8, placeholder }: LoadingProps) {
  if (data !== undefined) return null
  if (error !== null) return <ErrorState error={error} onRetry={refetch} />
  return placeholder ?? <SkeletonRows rows={rows} />
}
