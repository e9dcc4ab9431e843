import { Pause, Play } from 'lucide-react'
import type { TailState } from '../../api/client/follow-tail.ts'
import { Button, Hint } from '../../ui/button.tsx'

interface LiveButtonProps {
  readonly live: boolean
  readonly tail: TailState
  /** Whether new traces can belong to the list. */
  readonly reachesNow: boolean
  /** Whether they appear on top: the list is unfiltered and newest first. */
  readonly onTop: boolean
  onChange(live: boolean): void
}

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
  if (!reachesNow) return ['bg-line-strong', 'Past', 'The time range is in the past, so no new traces can appear.']
  if (tail === 'refused') return ['bg-fail', 'Not live', "This session can't follow new traces. Sign in again."]
  if (!live) return ['bg-line-strong', 'Paused', 'New traces are only counted. Resume to show them automatically.']
  if (tail === 'connecting')
    return ['bg-warn', 'Connecting', 'Spoor cannot be reached. This page retries automatically.']
  if (!onTop)
    return [
      'bg-ok',
      'Live',
      'New traces are counted here, and shown on request, because the list is filtered or sorted.',
    ]
  return ['bg-ok', 'Live', 'New traces appear automatically while you are at the top of the list. Click to pause.']
}
