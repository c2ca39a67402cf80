// stacks: one
/** The settings of a form in a browser: their changes are counted, shown, saved and discarded. */
import { expect } from "bun:test";
import { testInChromium } from "../chromium.ts";
import { makeForm, makeOperator, makeTeam, service } from "../setup.ts";

const app = await service();

testInChromium(
  "changes of settings are counted, shown beside them, saved at once, and discarded",
  async (open) => {
    const team = await makeTeam(app);
    const form = await makeForm(app, team, [{ id: "name", type: "text", label: "Your name" }]);
    const { page, faults } = await open(app, { cookie: await makeOperator(app, team, "admin") });
    const path = `/console/forms/${form.id}/settings`;
    const bar = page.locator(".save-bar");
    const sheet = page.frameLocator("[data-look]").locator("link[href^='/f/look.css']");
    const count = () => bar.locator("p").textContent();
    await page.goto(path);
    await sheet.page().frameLocator("[data-look]").locator("h1").waitFor();
    expect([await count(), await bar.locator("a").isVisible()]).toEqual(["", false]);
    // Leaving does not ask, since nothing has changed.
    await page.goto("/console/audit");
    await page.goto(path);

    await page.locator(".themes label", { hasText: "Ocean" }).click();
    await page.locator("[name='availability.maxSubmissions']").fill("100");
    expect(await count()).toBe("3 changes");
    expect(await sheet.getAttribute("href")).toBe("/f/look.css?accent=%230b5cad&corners=round");

    // A colour that is hard to read has help, and the page shows the nearest one.
    await page.locator("[name='theme.accent']").fill("#ff9900");
    await page.getByRole("button", { name: "Use it" }).click();
    const colour = await page.locator("[name='theme.accent']").inputValue();
    expect([colour, await page.locator("input[type=color]").inputValue()]).toEqual(["#aa6600", "#aa6600"]);
    expect(await page.locator(".themes :checked").count()).toBe(0);

    // A large picture is made smaller.
    const large = await page.evaluate(async () => {
      const canvas = Object.assign(document.createElement("canvas"), { width: 2000, height: 900 });
      const context = canvas.getContext("2d") as CanvasRenderingContext2D;
      for (let x = 0; x < 2000; x += 4)
        for (let y = 0; y < 900; y += 4) {
          context.fillStyle = `hsl(${(x * 7 + y * 13) % 360} 80% 50%)`;
          context.fillRect(x, y, 4, 4);
        }
      return canvas.toDataURL("image/png").split(",")[1] ?? "";
    });
    const buffer = Buffer.from(large, "base64");
    await page
      .locator("[name='theme.cover']")
      .setInputFiles({ name: "c.png", mimeType: "image/png", buffer });
    await page.frameLocator("[data-look]").locator("img.cover").waitFor();

    // Leaving asks first: the dialog of a browser is dismissed, which stays.
    await page.locator("nav a", { hasText: "Audit" }).first().click();
    expect(faults.splice(0)).toEqual([expect.stringContaining("dialog")]);
    expect([page.url().endsWith(path), await count()]).toEqual([true, "4 changes"]);

    // So does a button of another form, which has its words again.
    await page.locator(".form-head .menu > summary").click();
    const other = page.locator(".form-head .menu form button").first();
    const words = await other.textContent();
    await other.click();
    expect(faults.splice(0)).toEqual([expect.stringContaining("dialog")]);
    await page.waitForFunction(() => !document.querySelector("[aria-busy]"));
    expect([await other.textContent(), await count()]).toEqual([words, "4 changes"]);

    await Promise.all([page.waitForEvent("load"), bar.locator("button").click()]);
    expect(await page.locator(".report").textContent()).toContain("Saved.");
    expect([await count(), await page.locator("img.cover").count()]).toEqual(["", 1]);
    expect(await page.locator("[name='availability.maxSubmissions']").inputValue()).toBe("100");

    await page.locator("[name='review']").check();
    expect(await count()).toBe("1 change");
    await Promise.all([page.waitForEvent("load"), bar.locator("a").click()]);
    expect([await page.locator("[name='review']").isChecked(), await count()]).toEqual([false, ""]);
  },
);
