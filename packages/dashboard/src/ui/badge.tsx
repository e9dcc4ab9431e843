import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

export type Tone = 'plain' | 'ok' | 'fail' | 'warn' | 'info'

const TONES: Readonly<Record<Tone, string>> = {
  plain: 'bg-hover text-muted',
  ok: 'bg-ok-ground text-ok',
  fail: 'bg-fail-ground text-fail',
  warn: 'bg-warn-ground text-warn',
  info: 'bg-info-ground text-info',
}

interface BadgeProps {
  readonly tone?: Tone
  readonly icon?: LucideIcon
  readonly children: ReactNode
}

/** A short state label. Never by colour alone. */
export function Badge({ tone = 'plain', icon: Icon, children }: BadgeProps) {
  return (
    <span
      className={`inline-flex max-w-full items-center gap-1 truncate rounded-full px-2 py-0.5 text-xs font-medium ${TONES[tone]}`}
    >
      {Icon !== undefined && <Icon className="size-3" aria-hidden />}
      {children}
    </span>
  )
}
