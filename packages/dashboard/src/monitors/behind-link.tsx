import type { Monitor } from '@spoor/contract/schemas/monitor'
import { Link } from '@tanstack/react-router'
import { tracesBehind } from './traces-behind.ts'

/** To the traces or steps that an evaluation counted, or to the chart of its metric. */
export function BehindLink({ monitor, at, group = null }: { monitor: Monitor; at: string; group?: string | null }) {
  const traces = tracesBehind(monitor, at, group)
  const className = 'text-accent relative z-1 whitespace-nowrap hover:underline'
  if (traces !== null) {
    return (
      <Link to="/app/traces" search={traces} className={className}>
        {monitor.source.kind === 'steps' ? 'View steps' : 'View traces'}
      </Link>
    )
  }
  return (
    <Link
      to="/app/metrics/$name"
      params={{ name: monitor.source.metric ?? '' }}
      search={{ from: new Date(Date.parse(at) - monitor.window_seconds * 1000).toISOString(), to: at }}
      className={className}
    >
      View events
    </Link>
  )
}
