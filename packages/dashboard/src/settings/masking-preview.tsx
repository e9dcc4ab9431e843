import type { Masking, MaskingPreview as Found } from '@spoor/contract/schemas/masking'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { previewMasking } from '../api/projects.ts'
import { formatCount, formatSteps, formatTraces } from '../lib/format-number.ts'
import { useMay } from '../lib/hooks/use-session.ts'
import { Button } from '../ui/button.tsx'
import { ErrorText } from '../ui/error-text.tsx'
import { useSilentAction } from '../ui/use-action.ts'

/** What the rules of the form would mask in the newest traces. */
export function MaskingPreview({ projectId, masking }: { readonly projectId: string; readonly masking: Masking }) {
  const mayPreview = useMay('read')
  const mayManage = useMay('manage', 'admin')
  const [found, setFound] = useState<Found | null>(null)
  const trying = useSilentAction(() => previewMasking(projectId, masking), { onSuccess: setFound })
  if (!mayPreview || !mayManage) return null
  return (
    <section aria-label="Preview" className="space-y-2">
      <Button disabled={trying.isPending} onClick={() => trying.mutate()}>
        {trying.isPending ? 'Reading…' : 'Preview'}
      </Button>
      <ErrorText error={trying.error} />
      {found !== null && trying.error === null && <FoundTexts found={found} />}
    </section>
  )
}

function FoundTexts({ found: { traces, steps, masked, excerpts } }: { readonly found: Found }) {
  const counts = Object.entries(masked).map(([rule, times]) => `${rule} ${formatCount(times)}`)
  return (
    <div className="space-y-2 text-sm" role="status">
      <p>
        In the newest {formatTraces(traces)} with {formatSteps(steps)},{' '}
        {counts.length === 0 ? 'nothing would be masked.' : `this would be masked: ${counts.join(', ')}.`}
      </p>
      {excerpts.length > 0 && (
        <ul className="rounded-md border">
          {excerpts.map(({ rule, trace_id: traceId, place, before, text, after }, at) => (
            <li key={at} className="border-b px-3 py-1.5 last:border-b-0">
              <p className="font-mono text-xs break-words">
                {before}
                <mark>{text}</mark>
                {after}
              </p>
              <p className="text-muted text-xs break-words">
                {rule} in {place} of{' '}
                <Link to="/app/traces/$traceId" params={{ traceId }} className="hover:text-ink underline">
                  {traceId}
                </Link>
              </p>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
