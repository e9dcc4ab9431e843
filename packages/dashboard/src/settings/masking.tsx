import { DETECTORS, type Detector, type Masking as Rules } from '@spoor/contract/schemas/masking'
import type { Project } from '@spoor/contract/schemas/project'
import { useQuery } from '@tanstack/react-query'
import { Plus, X } from 'lucide-react'
import { changeProject, projectsQuery } from '../api/projects.ts'
import { useMay, useSession } from '../lib/hooks/use-session.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { Field, Fieldset, Input, Textarea } from '../ui/field.tsx'
import { Form, FormEnd } from '../ui/form.tsx'
import { Loading } from '../ui/states.tsx'
import { MaskingPreview } from './masking-preview.tsx'
import { Section } from './section.tsx'
import { useEdits } from './use-edits.ts'

const DETECTED: Readonly<Record<Detector, { readonly label: string; readonly hint: string }>> = {
  api_key: { label: 'API keys', hint: 'By their prefixes, and private keys.' },
  bearer_token: { label: 'Bearer tokens', hint: 'After Bearer, and JSON Web Tokens.' },
  card: { label: 'Card numbers', hint: 'With a valid check digit.' },
  email: { label: 'E-mail addresses', hint: 'Not in the ids of users.' },
  phone: { label: 'Phone numbers', hint: 'With + and a country, or North American.' },
}

export function Masking() {
  const { project_id: projectId, project_name: name } = useSession()
  const query = useQuery(projectsQuery)
  const project = query.data?.find(({ id }) => id === projectId)
  return (
    <Section
      title="Masking"
      text={`What Spoor masks in ${name} before it stores a trace. Stored traces stay as they are.`}
    >
      {project === undefined ? <Loading query={query} rows={6} /> : <RulesForm project={project} />}
    </Section>
  )
}

function RulesForm({ project: { id, masking } }: { project: Project }) {
  const mayChange = useMay('manage', 'admin')
  const { edits: changed, change, sending, saved } = useEdits<Rules>()
  const paths = changed.fields?.map((path) => path.trim()).filter((path) => path !== '')
  const changes = paths === undefined ? changed : { ...changed, fields: paths }
  const rules = { ...masking, ...changed }
  return (
    <div className="max-w-2xl border-t p-4">
      <Form
        send={() => {
          sending()
          return changeProject(id, { masking: changes })
        }}
        refresh={[projectsQuery.queryKey]}
        said="Masking saved"
        onDone={saved}
      >
        <Fieldset legend="Detectors" at="/masking/detectors">
          <div className="grid gap-3 sm:grid-cols-2">
            {DETECTORS.map((name) => (
              <Checkbox
                key={name}
                {...DETECTED[name]}
                disabled={!mayChange}
                checked={rules.detectors.includes(name)}
                onChange={({ target }) => {
                  const isOn = (each: Detector) => (each === name ? target.checked : rules.detectors.includes(each))
                  change({ detectors: DETECTORS.filter(isOn) })
                }}
              />
            ))}
          </div>
        </Fieldset>
        <Field
          label="Fields"
          at="/masking/fields"
          hint="One path in each line: metadata.customer.email, **.password, user_id. Their values are masked whole."
        >
          <Textarea
            spellCheck={false}
            disabled={!mayChange}
            value={rules.fields.join('\n')}
            onText={(text) => change({ fields: text === '' ? [] : text.split('\n') })}
          />
        </Field>
        <Patterns patterns={rules.patterns} disabled={!mayChange} onChange={(patterns) => change({ patterns })} />
        <MaskingPreview projectId={id} masking={{ ...masking, ...changes }} />
        {!mayChange && <p className="text-muted text-sm">Needs the scope manage.</p>}
        <FormEnd submit="Save" disabled={!mayChange || Object.keys(changed).length === 0} />
      </Form>
    </div>
  )
}

interface PatternsProps {
  readonly patterns: Rules['patterns']
  readonly disabled: boolean
  onChange(patterns: Rules['patterns']): void
}

function Patterns({ patterns, disabled, onChange }: PatternsProps) {
  const put = (at: number, some: Partial<Rules['patterns'][number]>) =>
    onChange(patterns.map((each, index) => (index === at ? { ...each, ...some } : each)))
  return (
    <Fieldset legend="Patterns" at="/masking/patterns" exact>
      <p className="text-muted text-xs">Regular expressions of RE2: no references, no look-around.</p>
      {patterns.map(({ name, pattern }, at) => (
        <div key={at} className="flex items-end gap-2">
          <div className="w-36 shrink-0">
            <Field label="Name" small at={`/masking/patterns/${at}/name`}>
              <Input autoComplete="off" disabled={disabled} value={name} onText={(text) => put(at, { name: text })} />
            </Field>
          </div>
          <div className="min-w-0 flex-1">
            <Field label="Pattern" small at={`/masking/patterns/${at}/pattern`}>
              <Input
                autoComplete="off"
                spellCheck={false}
                className="font-mono"
                disabled={disabled}
                value={pattern}
                onText={(text) => put(at, { pattern: text })}
              />
            </Field>
          </div>
          <IconButton
            icon={X}
            label={`Remove pattern ${at + 1}`}
            disabled={disabled}
            onClick={() => onChange(patterns.filter((_, index) => index !== at))}
          />
        </div>
      ))}
      <Button icon={Plus} disabled={disabled} onClick={() => onChange([...patterns, { name: '', pattern: '' }])}>
        Add a pattern
      </Button>
    </Fieldset>
  )
}
