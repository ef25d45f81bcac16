// Peer connections of a page, by name, as test/system/conference-browser.test.ts drives them.
(() => {
  const peers = {};
  window.client = {
    /** Publishes a fake camera and microphone, with a data channel as legacy clients have; returns the offer. */
    async publish(name) {
      const peer = new RTCPeerConnection();
      peers[name] = peer;
      const media = await navigator.mediaDevices.getUserMedia({
        audio: true,
        video: { width: 320, height: 240, frameRate: 15 },
      });
      for (const track of media.getTracks()) peer.addTrack(track, media);
      peer.createDataChannel("legacy");
      await peer.setLocalDescription();
      return peer.localDescription.sdp;
    },
    /** Publishes a fake camera in three sizes (simulcast), and a microphone; returns the offer. */
    async publishLayers(name) {
      const peer = new RTCPeerConnection();
      peers[name] = peer;
      const media = await navigator.mediaDevices.getUserMedia({
        audio: true,
        video: { width: 1280, height: 720, frameRate: 10 },
      });
      peer.addTransceiver(media.getAudioTracks()[0], { direction: "sendonly" });
      peer.addTransceiver(media.getVideoTracks()[0], {
        direction: "sendonly",
        sendEncodings: [
          { rid: "h" },
          { rid: "m", scaleResolutionDownBy: 2 },
          { rid: "l", scaleResolutionDownBy: 4 },
        ],
      });
      await peer.setLocalDescription();
      return peer.localDescription.sdp;
    },
    /** Restarts ICE of a publishing connection; returns the offer. */
    async restart(name) {
      peers[name].restartIce();
      await peers[name].setLocalDescription();
      return peers[name].localDescription.sdp;
    },
    /** Answers another offer on the connection. */
    async renegotiate(name, sdp) {
      await peers[name].setRemoteDescription({ type: "offer", sdp });
      await peers[name].setLocalDescription();
      return peers[name].localDescription.sdp;
    },
    async accept(name, sdp) {
      await peers[name].setRemoteDescription({ type: "answer", sdp });
    },
    /** Plays what an offer has; returns the answer. */
    async watch(name, sdp) {
      const peer = new RTCPeerConnection();
      peers[name] = peer;
      peer.ontrack = ({ track }) => {
        const element = document.createElement(track.kind);
        element.autoplay = true;
        element.muted = true;
        element.srcObject = new MediaStream([track]);
        document.body.append(element);
      };
      await peer.setRemoteDescription({ type: "offer", sdp });
      await peer.setLocalDescription();
      return peer.localDescription.sdp;
    },
    /** What was received, by mid. */
    async received(name) {
      const found = {};
      for (const stats of (await peers[name].getStats()).values()) {
        if (stats.type !== "inbound-rtp") continue;
        const { framesDecoded: frames = 0, bytesReceived: bytes, packetsLost: lost } = stats;
        found[stats.mid] = { frames, bytes, lost, height: stats.frameHeight ?? 0 };
      }
      return found;
    },
    close(name) {
      peers[name].close();
    },
  };
})();
