import type { Monitor } from '@spoor/contract/schemas/monitor'
import { BellOff, BellRing, CircleCheck, CircleDashed } from 'lucide-react'
import { Badge } from '../ui/badge.tsx'
import { type ShownState, shownState } from './search.ts'

export const STATES = {
  fired: { tone: 'fail', Icon: BellRing, label: 'Fired' },
  normal: { tone: 'ok', Icon: CircleCheck, label: 'Normal' },
  no_data: { tone: 'warn', Icon: CircleDashed, label: 'No data' },
  disabled: { tone: 'plain', Icon: BellOff, label: 'Disabled' },
} as const satisfies Record<ShownState, unknown>

export function StateBadge({ state }: { state: ShownState }) {
  const { tone, Icon, label } = STATES[state]
  return (
    <Badge tone={tone} icon={Icon}>
      {label}
    </Badge>
  )
}

/** A firing monitor without data shows both badges. */
export function MonitorStateBadges({ monitor }: { monitor: Monitor }) {
  const state = shownState(monitor)
  return (
    <span className="inline-flex flex-wrap gap-1">
      <StateBadge state={state} />
      {state === 'fired' && monitor.for_each === null && isWithoutData(monitor) && <StateBadge state="no_data" />}
    </span>
  )
}

function isWithoutData({ last_evaluated_at, last_value }: Monitor): boolean {
  return last_evaluated_at !== null && last_value === null
}
