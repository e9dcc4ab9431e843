import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Browsers with `light-dark()`, which every colour here is made of. */
const BROWSERS = ['chrome123', 'firefox120', 'safari17.5']

export default defineConfig({
  plugins: [react(), tailwindcss()],
  build: { target: BROWSERS, cssTarget: BROWSERS, assetsInlineLimit: 0, reportCompressedSize: false },
  // `npx vite packages/dashboard` beside a running service, for work on the screens.
  server: { proxy: { '/v1': { target: 'http://127.0.0.1:4319' } } },
})
