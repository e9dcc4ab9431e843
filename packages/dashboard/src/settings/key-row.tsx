import type { Key } from '@spoor/contract/schemas/key'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { ConfirmButton } from '../ui/confirm.tsx'
import { Time, useNow, Until } from '../ui/time.tsx'
import { limitWords } from './key-limits.tsx'
import { ROW } from './section.tsx'

interface KeyRowProps {
  readonly apiKey: Key
  /** Whether the session uses this key. */
  readonly isOwn: boolean
  readonly isNew: boolean
  readonly busy: boolean
  onLimit(): void
  onRevoke(): void
}

/** A table row on wide screens, stacked lines on narrow ones. */
const CELL = 'max-md:block max-md:px-0 max-md:py-0.5 px-2 py-2 md:first:pl-4 md:last:pr-4'

export function KeyRow({ apiKey, isOwn, isNew, busy, onLimit, onRevoke }: KeyRowProps) {
  const { name, scopes, created_at, expires_at, last_four } = apiKey
  const now = useNow()
  const isExpired = expires_at !== null && Date.parse(expires_at) <= now
  return (
    <tr className={`${ROW} max-md:relative max-md:block max-md:px-4 max-md:py-3`}>
      <td className={`${CELL} max-w-80 font-medium break-words max-md:pr-40!`}>
        <bdi>{name}</bdi> {isOwn && <Badge tone="info">this session</Badge>} {isNew && <Badge tone="ok">new</Badge>}
      </td>
      <td className={`${CELL} font-mono text-xs whitespace-nowrap`}>spoor_…{last_four}</td>
      <td className={CELL}>
        <span className="flex flex-wrap gap-1">
          {scopes.map((scope) => (
            <Badge key={scope}>{scope}</Badge>
          ))}
        </span>
      </td>
      <td className={`${CELL} text-muted`}>
        <span className="md:hidden">limits </span>
        {limitWords(apiKey) ?? 'none'}
      </td>
      <td className={`${CELL} text-muted`}>
        <span className="md:hidden">created </span>
        <Time at={created_at} />
      </td>
      <td className={CELL}>
        {expires_at === null ? (
          <span className="text-muted">
            <span className="md:hidden">expires </span>never
          </span>
        ) : isExpired ? (
          <Badge tone="fail">expired</Badge>
        ) : (
          <>
            <span className="md:hidden">expires </span>
            <Until at={expires_at} />
          </>
        )}
      </td>
      <td className={`${CELL} text-right whitespace-nowrap max-md:absolute max-md:top-2.5 max-md:right-4`}>
        <Button onClick={onLimit}>
          Limits<span className="sr-only"> of {name}</span>
        </Button>{' '}
        <ConfirmButton
          variant="danger"
          disabled={busy}
          title="Revoke this key?"
          confirm={isOwn ? 'Revoke and sign out' : 'Revoke'}
          onConfirm={onRevoke}
          text={
            <div className="space-y-2 break-words">
              <p>
                <bdi className="font-medium">{name}</bdi> (…{last_four}) stops working now. Its clients get{' '}
                <code className="font-mono text-xs">401</code>. This cannot be undone.
              </p>
              {isOwn && (
                <p className="text-fail">
                  You are signed in with this key, so this signs you out. Have another key ready, or create one on
                  Spoor's machine with <code className="font-mono text-xs">npx spoor keys create</code>.
                </p>
              )}
            </div>
          }
        >
          Revoke<span className="sr-only"> {name}</span>
        </ConfirmButton>
      </td>
    </tr>
  )
}
