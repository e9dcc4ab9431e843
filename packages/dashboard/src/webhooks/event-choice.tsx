import { EVENT_TYPES, WEBHOOK_EVENT_TYPES, type WebhookEventType } from '@spoor/contract/events'
import { Button } from '../ui/button.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { Fieldset } from '../ui/fieldset.tsx'

interface EventChoiceProps {
  readonly chosen: readonly WebhookEventType[]
  onChange(chosen: readonly WebhookEventType[]): void
}

export function EventChoice({ chosen, onChange }: EventChoiceProps) {
  const all = chosen.length === WEBHOOK_EVENT_TYPES.length
  return (
    <Fieldset legend="Events" at="/events">
      <div className="grid gap-x-6 gap-y-3 rounded-md border p-3 sm:grid-cols-2">
        {WEBHOOK_EVENT_TYPES.map((type) => (
          <Checkbox
            key={type}
            label={<span className="font-mono text-xs">{type}</span>}
            hint={EVENT_TYPES[type].description}
            checked={chosen.includes(type)}
            onChange={({ target }) =>
              onChange(WEBHOOK_EVENT_TYPES.filter((each) => (each === type ? target.checked : chosen.includes(each))))
            }
          />
        ))}
        <Button variant="ghost" className="justify-self-start" onClick={() => onChange(all ? [] : WEBHOOK_EVENT_TYPES)}>
          {all ? 'Clear all' : 'Select all'}
        </Button>
      </div>
    </Fieldset>
  )
}
