import { useQuery } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import { damageQuery } from '../api/readiness.ts'

/**
 * Shown above every screen while data on the disk of the service is damaged: what is missing, and where to read more.
 */
export function DamageBanner() {
  const { data: damage } = useQuery(damageQuery)
  if (damage === null || damage === undefined) return null
  const colors = damage.ok ? 'bg-warn-ground text-warn' : 'bg-fail-ground text-fail'
  return (
    <div role="alert" className={`flex items-start gap-2.5 border-b px-4 py-2.5 text-sm ${colors}`}>
      <TriangleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
      <p className="min-w-0 break-words">
        <strong className="font-semibold">
          {damage.ok
            ? 'Data on the disk of this service is damaged.'
            : 'Data on the disk of this service is damaged, and some of it is lost.'}
        </strong>{' '}
        {sentence(damage.detail ?? '')}
      </p>
    </div>
  )
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`
}
