import { CircleCheck, Flag, OctagonX } from 'lucide-react'
import { type Growth, RUNNING } from '../../lib/growth.ts'
import { recoveredWords } from '../../lib/format-number.ts'
import { Badge } from '../../ui/badge.tsx'
import type { TraceHead } from '../reading/trace-head.ts'

interface TraceBadgesProps {
  readonly head: TraceHead
  /** How it is marked if it is not complete. */
  readonly growth: Growth | null
  readonly following: boolean
}

export function TraceBadges({ head, growth, following }: TraceBadgesProps) {
  const failed = head.status === 'error'
  const recovered = head.recovered_errors
  return (
    <>
      {failed && (
        <Badge tone="fail" icon={OctagonX}>
          failed
        </Badge>
      )}
      {!failed && growth === null && (
        <Badge tone="ok" icon={CircleCheck}>
          ok
        </Badge>
      )}
      {!failed && recovered > 0 && <Badge>{recoveredWords(recovered)}</Badge>}
      {head.state === 'flagged' && (
        <Badge tone="warn" icon={Flag}>
          flagged
        </Badge>
      )}
      {growth !== null && (
        <span title={growth.title}>
          <Badge tone={growth === RUNNING ? 'info' : 'plain'}>{growth.label}</Badge>
        </span>
      )}
      {following && growth !== null && (
        <span title="This trace is growing. New steps appear automatically.">
          <Badge tone="info">live</Badge>
        </span>
      )}
    </>
  )
}
