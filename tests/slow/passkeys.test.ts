// stacks: one browser
/** Passkeys in Chromium, with the virtual authenticator of its DevTools protocol (WebAuthn domain). */
import { expect } from "bun:test";
import { press, testInChromium, violationsOf } from "../chromium.ts";
import { makeTeam, service } from "../setup.ts";

testInChromium(
  "a person adds a passkey, signs in with it alone, and gives it before a risky act; pages without the script say so",
  async (open) => {
    const app = await service();
    const { operator } = await makeTeam(app);
    // A browser has no passkeys for an IP address.
    const url = app.url.replace("127.0.0.1", "localhost");
    const { page, context } = await open({ url }, { bypassCSP: true });
    const devTools = await context.newCDPSession(page);
    await devTools.send("WebAuthn.enable");
    const options = {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    } as const;
    const { authenticatorId } = await devTools.send("WebAuthn.addVirtualAuthenticator", { options });

    await page.goto("/console/sign-in");
    await page.getByLabel("E-mail").fill(operator.email);
    await page.getByLabel("Password", { exact: true }).fill(operator.password);
    await Promise.all([
      page.waitForEvent("load"),
      page.getByRole("button", { name: "Sign in", exact: true }).click(),
    ]);
    await page.goto("/console/account/passkeys");
    await press(page, "Add a passkey");
    expect(await violationsOf(page)).toEqual([]);
    await page.getByLabel("Name").fill("Laptop");
    await page.getByRole("button", { name: "Create the passkey" }).click();
    await page.getByText("Passkey added.").waitFor();
    await page.setViewportSize({ width: 320, height: 700 });
    expect(await violationsOf(page)).toEqual([]);
    const { credentials } = await devTools.send("WebAuthn.getCredentials", { authenticatorId });
    expect(credentials).toMatchObject([{ isResidentCredential: true, rpId: "localhost" }]);

    await page.goto("/console/account");
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    const signIn = page.getByRole("button", { name: "Sign in with a passkey" });
    // A person who does not agree to it, and then does.
    await devTools.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
    await signIn.click();
    await page.getByText("The browser did not provide a passkey.").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await devTools.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: true });
    await signIn.click();
    await page.waitForURL(`${url}/console`);

    await app.database.sql`
      update formd.operator_sessions set proved_at = now() - interval '16 minutes'
      where operator_id = ${operator.id}`;
    await page.goto("/console/api-keys/new");
    await page.getByLabel("Name").fill("Export");
    await page.getByRole("checkbox").first().check();
    await page.locator("main form button[type=submit]").click();
    await page.getByRole("button", { name: "Continue with a passkey" }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Continue with a passkey" }).click();
    await page.locator("code").first().waitFor();

    const { page: plain } = await open({ url }, { javaScriptEnabled: false });
    await plain.goto("/console/sign-in");
    expect(await plain.getByText("Passkeys need JavaScript").isVisible()).toBe(true);
    expect(await plain.getByRole("button", { name: "Sign in with a passkey" }).isVisible()).toBe(false);
  },
);
