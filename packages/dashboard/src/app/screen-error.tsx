import { useEffect } from 'react'
import { Link } from '@tanstack/react-router'
import { isReachable } from '../api/readiness.ts'
import { Button } from '../ui/button.tsx'
import { EmptyState, ErrorState } from '../ui/states.tsx'
import { whenBack } from './outage.ts'
import { reloadOnce, ScriptError } from './script-error.ts'
import { PageHeader } from '../ui/page.tsx'

export function ScreenError({ error, reset }: { error: unknown; reset: () => void }) {
  return error instanceof ScriptError ? <NoScript /> : <ErrorState error={error} onRetry={reset} />
}

function NoScript() {
  useEffect(() => whenBack(reloadOnce), [])
  return (
    <div role="alert" className="flex flex-1 flex-col">
      <EmptyState title="This screen could not be loaded">
        <p>Check that Spoor is running. This page retries automatically.</p>
        <Button onClick={() => void isReachable().then((isBack) => isBack && location.reload())}>Try again</Button>
      </EmptyState>
    </div>
  )
}

export function NotFound() {
  return (
    <>
      <PageHeader title="Not found" />
      <EmptyState title="This page does not exist">
        <Link to="/app/traces" className="text-accent underline">
          Go to traces
        </Link>
      </EmptyState>
    </>
  )
}
