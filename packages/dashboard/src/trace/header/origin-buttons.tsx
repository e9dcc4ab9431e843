import { ArrowLeft, ChevronDown, ChevronUp } from 'lucide-react'
import { IconButton } from '../../ui/icon-button.tsx'
import type { Origin } from '../origin/use-origin.ts'

/** Back to the list, and to the neighbouring traces in it. */
export function OriginButtons({ origin: { name, leave, previous, next } }: { origin: Origin }) {
  const stepping = previous !== null || next !== null
  return (
    <span className="-ml-2 flex shrink-0">
      <IconButton icon={ArrowLeft} label={`Back to ${name}`} keys="Esc" onClick={leave} />
      {stepping && (
        <span className="hidden sm:flex">
          <IconButton
            icon={ChevronUp}
            label="Previous trace"
            keys="["
            disabled={!previous}
            onClick={() => previous?.()}
          />
          <IconButton icon={ChevronDown} label="Next trace" keys="]" disabled={!next} onClick={() => next?.()} />
        </span>
      )}
    </span>
  )
}
