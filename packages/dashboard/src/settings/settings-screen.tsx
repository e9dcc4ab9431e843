import { createLazyRoute, Link } from '@tanstack/react-router'
import { useMay } from '../lib/hooks/use-session.ts'
import { PageHeader } from '../ui/page.tsx'
import { SenderBanner } from '../ui/sender-banner.tsx'
import { About } from './about.tsx'
import { Analysis } from './analysis.tsx'
import { Audit } from './audit.tsx'
import { Keys } from './keys.tsx'
import { Limits } from './limits.tsx'
import { Masking } from './masking.tsx'
import { OpenTelemetry } from './opentelemetry.tsx'
import { Prices } from './prices.tsx'
import { Projects } from './projects.tsx'
import { Retention } from './retention.tsx'
import type { SettingsTab } from './search.ts'
import { Senders } from './senders.tsx'

export const route = createLazyRoute('/app/settings')({ component: SettingsScreen })

const SECTIONS: Readonly<Record<SettingsTab, { readonly label: string; readonly Section: () => React.ReactNode }>> = {
  keys: { label: 'API keys', Section: Keys },
  projects: { label: 'Projects', Section: Projects },
  opentelemetry: { label: 'OpenTelemetry', Section: OpenTelemetry },
  analysis: { label: 'Analysis', Section: Analysis },
  senders: { label: 'Senders', Section: Senders },
  retention: { label: 'Retention', Section: Retention },
  masking: { label: 'Masking', Section: Masking },
  prices: { label: 'Model prices', Section: Prices },
  audit: { label: 'Audit log', Section: Audit },
  limits: { label: 'Limits', Section: Limits },
  about: { label: 'About', Section: About },
}

function SettingsScreen() {
  const isAdmin = useMay('admin')
  const { tab = 'keys' } = route.useSearch()
  const tabs = (Object.keys(SECTIONS) as SettingsTab[]).filter((each) => each !== 'projects' || isAdmin)
  const { Section } = SECTIONS[tab]
  return (
    <>
      <PageHeader title="Settings" />
      <nav aria-label="Settings" className="flex gap-1 overflow-x-auto border-b px-2">
        {tabs.map((each) => (
          <Link
            key={each}
            to="/app/settings"
            search={{ tab: each }}
            aria-current={each === tab ? 'page' : undefined}
            className="text-muted hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink -mb-px shrink-0 border-b-2 border-transparent px-2.5 py-2 text-sm font-medium -outline-offset-2!"
          >
            {SECTIONS[each].label}
          </Link>
        ))}
      </nav>
      {tab !== 'senders' && <SenderBanner />}
      <Section />
    </>
  )
}
