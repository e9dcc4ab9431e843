import type { ReactNode } from 'react'
import { asApiError } from '../api/client/api-error.ts'
import { Button } from './button.tsx'

/** Nothing is there: why, and what to do. */
export function EmptyState({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="flex flex-1 flex-col items-center justify-center gap-3 px-4 py-16 text-center">
      <h2 className="text-lg font-semibold">{title}</h2>
      {children !== undefined && <div className="text-muted max-w-xl space-y-3">{children}</div>}
    </div>
  )
}

const ADVICE: Readonly<Record<string, string>> = {
  unreachable: 'Check that Spoor is running.',
  insufficient_scope: 'The key you signed in with may not do this. Sign in with one that has the scope.',
  not_found: 'It may have been deleted, or belong to another project.',
}

/** Something could not be had: what the service says, and a way on. */
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

/**
 * Begins when there is something to wait for: without a graphics card, each frame of it takes from what is being
 * loaded.
 */
const PULSE = 'animate-pulse [animation-delay:800ms]'

/** Holds the place of what is being loaded. */
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
