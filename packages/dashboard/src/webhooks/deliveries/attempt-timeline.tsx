import type { DeliveryDetail } from '@spoor/contract/schemas/delivery'
import { Until } from '../../ui/until.tsx'
import { AttemptItem } from './attempt-item.tsx'

/** All attempts, newest first, below the next one. */
export function AttemptTimeline({ delivery }: { delivery: DeliveryDetail }) {
  const { attempts, status, next_attempt_at } = delivery
  const newestFirst = attempts.toReversed()
  return (
    <section aria-label="Attempts">
      <h3 className="mb-2 font-semibold">Attempts</h3>
      <ol className="ml-1.5 border-l">
        {status === 'pending' && next_attempt_at !== null && (
          <li className="relative pb-4 pl-5">
            <span
              aria-hidden
              className="bg-ground border-line-strong absolute top-1 -left-1.5 size-3 rounded-full border-2 border-dashed"
            />
            {attempts.length === 0 ? 'First attempt' : 'Next attempt'}{' '}
            <Until at={next_attempt_at} className="font-medium" />
          </li>
        )}
        {newestFirst.map((attempt, index) => (
          <AttemptItem
            key={attempt.number}
            attempt={attempt}
            before={newestFirst[index + 1] ?? null}
            initiallyOpen={index === 0}
          />
        ))}
      </ol>
      {attempts.length === 0 && status !== 'pending' && <p className="text-muted">Never attempted</p>}
    </section>
  )
}
