import { setNonce } from 'get-nonce'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { applyTheme, storedTheme } from './app/theme.ts'

applyTheme(storedTheme())
// <style> elements that dialogs add carry the nonce of this page's policy.
setNonce(document.querySelector<HTMLMetaElement>('meta[name=style-nonce]')?.nonce ?? '')

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no #root')
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
