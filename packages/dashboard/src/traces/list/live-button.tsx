import { Pause, Play } from 'lucide-react'
import type { TailState } from '../../api/client/follow-tail.ts'
import { Button } from '../../ui/button.tsx'
import { Hint } from '../../ui/hint.tsx'

interface LiveButtonProps {
  readonly live: boolean
  readonly tail: TailState
  /** Whether traces that come can be in the list at all. */
  readonly reachesNow: boolean
  /** Whether they go on top of it: it is newest first and nothing is left out. */
  readonly onTop: boolean
  onChange(live: boolean): void
}

/** Lets new traces come in by themselves, or not; says how it stands with that. */
export function LiveButton({ live, tail, reachesNow, onTop, onChange }: LiveButtonProps) {
  const [dot, word, why] = describe(live, tail, reachesNow, onTop)
  const Icon = live ? Pause : Play
  return (
    <Hint text={why}>
      <Button aria-pressed={live} aria-label={`Live: ${word}`} onClick={() => onChange(!live)}>
        <span aria-hidden className={`size-2 rounded-full ${dot}`} />
        {word}
        <Icon className="text-muted size-3.5" aria-hidden />
      </Button>
    </Hint>
  )
}

function describe(
  live: boolean,
  tail: TailState,
  reachesNow: boolean,
  onTop: boolean,
): readonly [string, string, string] {
  if (!reachesNow) return ['bg-line-strong', 'Past', 'The time shown is over: nothing new comes into it.']
  if (tail === 'refused') return ['bg-fail', 'Not live', 'This session may not follow new traces. Sign in again.']
  if (!live) return ['bg-line-strong', 'Paused', 'New traces are counted. Resume to have them come in by themselves.']
  if (tail === 'connecting')
    return ['bg-warn', 'Connecting', 'The service is not reached at the moment. This goes on by itself.']
  if (!onTop)
    return ['bg-ok', 'Live', 'New traces are counted here, and shown when you ask: the list is filtered or sorted.']
  return ['bg-ok', 'Live', 'New traces come in by themselves while you are at the top of the list. Click to pause.']
}
