import { Lasso, Maximize, Minus, Plus } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { Hint } from '../../ui/hint.tsx'

interface MapToolsProps {
  readonly lasso: boolean
  onLasso(on: boolean): void
  onZoom(factor: number): void
  onReset(): void
}

const STEP = 1.6

export function MapTools({ lasso, onLasso, onZoom, onReset }: MapToolsProps) {
  const tools = [
    { label: 'Zoom in', hint: 'Zoom in (+, or the wheel)', Icon: Plus, run: () => onZoom(STEP) },
    { label: 'Zoom out', hint: 'Zoom out (-)', Icon: Minus, run: () => onZoom(1 / STEP) },
    { label: 'Show all', hint: 'Show all (0)', Icon: Maximize, run: onReset },
  ]
  return (
    <div
      role="group"
      aria-label="Map tools"
      className="bg-raised absolute top-2 right-2 z-10 flex flex-col gap-0.5 rounded-lg border p-0.5 shadow-sm"
    >
      <Hint text="Draw around points to select them (or hold Shift)">
        <Button
          variant="ghost"
          icon={Lasso}
          aria-label="Select with a lasso"
          aria-pressed={lasso}
          onClick={() => onLasso(!lasso)}
          className="aria-pressed:bg-selected aria-pressed:text-accent"
        />
      </Hint>
      {tools.map(({ label, hint, Icon, run }) => (
        <Hint key={label} text={hint}>
          <Button variant="ghost" icon={Icon} aria-label={label} onClick={run} />
        </Hint>
      ))}
    </div>
  )
}
