import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { inWords, readBrowsers } from './build/browsers.ts'

const browsers = await readBrowsers()

export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    react({ jsxImportSource: '#jsx' }),
    tailwindcss(),
    {
      name: 'oldest-browsers',
      transformIndexHtml: (html) => html.replace('%BROWSERS%', inWords(browsers)),
    },
  ],
  // `npm run console:dev`, beside a service.
  server: { proxy: { '/v1': process.env['MUSTER_URL'] ?? 'http://127.0.0.1:3000' } },
  build: {
    target: Object.entries(browsers).map(([name, version]) => `${name}${version}`),
    // The policy forbids inline sources.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    reportCompressedSize: false,
  },
})
