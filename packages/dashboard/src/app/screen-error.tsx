import { useEffect } from 'react'
import { isReachable } from '../api/readiness.ts'
import { Button } from '../ui/button.tsx'
import { ErrorState } from '../ui/states.tsx'
import { whenBack } from './outage.ts'
import { reloadOnce, ScriptError } from './script-error.ts'

/** Shown instead of a screen that failed. */
export function ScreenError({ error, reset }: { error: unknown; reset: () => void }) {
  return error instanceof ScriptError ? <NoScript /> : <ErrorState error={error} onRetry={reset} />
}

function NoScript() {
  useEffect(() => whenBack(reloadOnce), [])
  return (
    <div role="alert" className="flex flex-1 flex-col items-center justify-center gap-3 px-4 py-16 text-center">
      <h2 className="text-lg font-semibold">This screen could not be loaded</h2>
      <p className="text-muted max-w-xl">Check that Spoor is running. This page retries automatically.</p>
      <Button onClick={() => void isReachable().then((isBack) => isBack && location.reload())}>Try again</Button>
    </div>
  )
}
