import { ArrowLeft, ChevronDown, ChevronUp } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import type { Origin } from '../origin/use-origin.ts'

/** Back to the list, and to the neighbouring traces in it. */
export function OriginButtons({ origin: { name, leave, previous, next } }: { origin: Origin }) {
  const stepping = previous !== null || next !== null
  return (
    <span className="-ml-2 flex shrink-0">
      <Button
        variant="ghost"
        icon={ArrowLeft}
        aria-label={`Back to ${name}`}
        title={`Back to ${name} (Esc)`}
        onClick={leave}
      />
      {stepping && (
        <span className="hidden sm:flex">
          <Neighbour label="Previous trace" keys="[" icon={ChevronUp} onClick={previous} />
          <Neighbour label="Next trace" keys="]" icon={ChevronDown} onClick={next} />
        </span>
      )}
    </span>
  )
}

interface NeighbourProps {
  readonly label: string
  readonly keys: string
  readonly icon: typeof ChevronUp
  readonly onClick: (() => void) | null
}

function Neighbour({ label, keys, icon: Icon, onClick }: NeighbourProps) {
  return (
    <Button
      variant="ghost"
      icon={Icon}
      aria-label={label}
      title={`${label} (${keys})`}
      disabled={onClick === null}
      onClick={() => onClick?.()}
    />
  )
}
