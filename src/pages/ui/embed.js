/** For a site that shows a form's page in an iframe: the frame gets the height of the page. */
addEventListener("message", ({ data, source, origin }) => {
  const height = data?.formdHeight;
  if (typeof height !== "number" || !(height > 0 && height < 100_000)) return;
  for (const frame of document.querySelectorAll("iframe"))
    if (frame.contentWindow === source && new URL(frame.src).origin === origin)
      frame.style.height = `${Math.ceil(height)}px`;
});
