C     Planar truck with five bodies (Eich-Soellner & Fuehrer, Numerical
C     Methods in Multibody Dynamics, Teubner 1998), badly scaled: lambda
C     is about 7E4, so that ITOL=1 is used.  The published program has
C     one term of the torque on the chassis with the opposite sign;
C     RPAR(1) is 1 for that variant and -1 for the physical one.  The
C     reference is ours, by extrapolation in quadruple precision.
C
C     X = [ lambda1 lambda2 | v1-v9 | p1-p9 ]
C     p1 rear wheel, p2 p3 chassis, p4 front wheel, p5 p6 cabin,
C     p7 p8 p9 load (heights and angles; x, y, angle of the load)
C
      PROGRAM TRUCK
      IMPLICIT NONE
      INTEGER          N,M,L
      PARAMETER        (N=20,M=24)
      DOUBLE PRECISION X0(N),XEX(N,2),RTOL(N),ATOL(N),DEV(2)
      INTEGER          IOPT(40),IWORK(20),IPAR(4),IERR,IDID,IJAC,
     #                 NGOOD,NBAD,I,K
      DOUBLE PRECISION X(N),T,TEND,H,TOL,ROPT(40),RWORK(5*N),RPAR(8),
     #                 RDA(M),DEVMAX,SIZMAX
      EXTERNAL         IVCOND,EOM,MAS,JAC,SOLOUT,DEVMAX,SIZMAX
C
      DATA X0 /0.D0,-68056.2088888893D0,9*0.D0,
     #   .5D0,2.D0,0.D0,.5D0,2.9D0,0.D0,-1.46D0,2.9D0,0.D0/
      DATA (XEX(I,1),I=1,N) /
     #  -9.841385806353629584D+00,-6.791175255861131298D+04,
     #   8.774666387193611302D-03, 6.312036065341683849D-03,
     #  -9.915519965396424645D-04, 2.756461188027291553D-03,
     #   3.577347986435085900D-03,-9.925226941930717129D-04,
     #   9.001873073062647321D-04, 7.742567156543451775D-03,
     #  -1.002344551608073140D-03,
     #   6.138443540664878089D-01, 2.114757776119491292D+00,
     #   2.443086834432800559D-04, 6.154842229445705924D-01,
     #   3.015511948385042634D+00, 2.375832607556878433D-04,
     #  -1.460241019350187732D+00, 3.014446505266298143D+00,
     #   2.725398345894219992D-04/
      DATA (XEX(I,2),I=1,N) /
     #  -5.442910918800200082D+01,-6.792705216522661578D+04,
     #   9.196259439531035117D-03, 4.285277327197465922D-03,
     #  -3.323589712633582418D-03, 1.911696951939178729D-03,
     #  -4.855454546385627111D-03,-3.328604865180781318D-03,
     #   3.005160847811105710D-03, 9.098715133985633509D-03,
     #  -3.350317497860400082D-03,
     #   6.136925029610122289D-01, 2.115912452141566366D+00,
     #   1.310079899590629211D-03, 6.157903395045996862D-01,
     #   3.019584682612317663D+00, 1.302310215613450507D-03,
     #  -1.461203988121795587D+00, 3.014054946522205381D+00,
     #   1.344873387793455033D-03/
      NGOOD=0
      NBAD=0
      DO 50 K=1,6
        DO 10 I=1,40
          IOPT(I)=0
          ROPT(I)=0.D0
   10   CONTINUE
        IOPT(15)=4
        L=1
        IF (K.GE.4) L=2
        RPAR(1)=3-2*L
        TOL=1.D-10
        IJAC=1
        IF (K.EQ.2) IOPT(5)=1
        IF (K.EQ.3.OR.K.EQ.6) TOL=1.D-6
        IF (K.EQ.3) IOPT(11)=2
        IF (K.EQ.5) IJAC=0
        DO 20 I=1,N
          X(I)=X0(I)
          RTOL(I)=TOL
          ATOL(I)=TOL
   20   CONTINUE
        ATOL(1)=1.D5*TOL
        ATOL(2)=1.D5*TOL
        IF (K.EQ.1.OR.K.EQ.4) THEN
          CALL JACCHK(9,9,0,0,0,2,0,0,0.D0,X,IOPT,ROPT,
     #      EOM,JAC,RPAR,IPAR,NGOOD,NBAD)
          DO 30 I=12,N
            X(I)=X(I)+0.02D0*(I-15)
   30     CONTINUE
          DO 40 I=3,11
            X(I)=0.3D0-0.05D0*I
   40     CONTINUE
          CALL JACCHK(9,9,0,0,0,2,0,0,1.5D0,X,IOPT,ROPT,
     #      EOM,JAC,RPAR,IPAR,NGOOD,NBAD)
          DO 45 I=1,N
            X(I)=X0(I)
   45     CONTINUE
        END IF
        TEND=6.D0
        T=0.D0
        H=1.D-3
        IERR=0
        IDID=0
        CALL GEOMS(
     #    9,9,0,0,0,2,0,0,M-2*IOPT(5),N,0,
     #    X,T,TEND,H,RTOL,ATOL,1,IOPT,ROPT,
     #    IVCOND,EOM,MAS,JAC,IJAC,
     #    SOLOUT,0,
     #    20,IWORK,5*N,RWORK,
     #    RPAR,IPAR,IERR,
     #    IDID)
        IF (L.EQ.1) CALL SHOWRN('Truck as published',IOPT,IJAC,TOL,
     #    IDID,T,IWORK,NGOOD,NBAD)
        IF (L.EQ.2) CALL SHOWRN('Truck, physical sign',IOPT,IJAC,TOL,
     #    IDID,T,IWORK,NGOOD,NBAD)
        WRITE(6,100) (X(I),I=1,N)
        CALL VERIFY('position',DEVMAX(9,X(12),XEX(12,L)),1.D2*TOL,
     #              NGOOD,NBAD)
        CALL VERIFY('velocity',DEVMAX(9,X(3),XEX(3,L)),1.D3*TOL,
     #              NGOOD,NBAD)
C       The size of the multipliers is 7E4.
        DEV(1)=(X(1)-XEX(1,L))/7.D4
        DEV(2)=(X(2)-XEX(2,L))/7.D4
        CALL VERIFY('multipliers',SIZMAX(2,DEV),
     #              (1.D2+1.D5*IOPT(5))*TOL,NGOOD,NBAD)
        CALL EOM(M-2*IOPT(5),N,T,X,RDA,IOPT,ROPT,IPAR,RPAR,IERR)
        CALL VERIFY('residuals of gI, g',SIZMAX(4,RDA(3-2*IOPT(5))),
     #              TOL,NGOOD,NBAD)
   50 CONTINUE
      CALL FINISH(NGOOD,NBAD)
  100 FORMAT('   lambda ',2F16.6/'   v      ',4F14.10/
     #       '          ',5F14.10/'   p      ',4F14.10/
     #       '          ',5F14.10)
      END
C
C     Point (A,H) of body IB: 0 road at x=A, 1 and 3 wheels, 2 chassis,
C     4 cabin, 5 load.  Position, derivative D by p, second derivative
C     D2 by the angle (coordinate ITH, 0 if there is none), velocity.
      SUBROUTINE POINT(IB,A,H,T,X,PT,PV,D,D2,ITH)
      IMPLICIT NONE
      INTEGER          IB,ITH,IX(0:5),IY(0:5),IT(0:5),I
      DOUBLE PRECISION A,H,T,X(20),PT(2),PV(2),D(2,9),D2(2),X0(0:5),
     #                 S,C,Z
      SAVE             IX,IY,IT,X0
      DATA IX /0,0,0,0,0,7/
      DATA IY /0,1,2,4,5,8/
      DATA IT /0,0,3,0,6,9/
C     The cabin sits at a24-b24.
      DATA X0 /0.D0,0.D0,0.D0,0.D0,2.74D0,0.D0/
      DO 10 I=1,9
        D(1,I)=0.D0
        D(2,I)=0.D0
   10 CONTINUE
      D2(1)=0.D0
      D2(2)=0.D0
      PT(1)=X0(IB)
      PT(2)=0.D0
      PV(1)=0.D0
      PV(2)=0.D0
      ITH=IT(IB)
      IF (IB.EQ.0) THEN
C       A bump under the front wheel, later under the rear one
        PT(1)=A
        Z=T-2.D0/15.D0
        IF (A.LT.0.D0) Z=T-6.5D0/15.D0
        IF (Z.GT.0.D0) THEN
          PT(2)=1.D-3*Z**6*EXP(-Z)
          PV(2)=1.D-3*(6.D0*Z**5-Z**6)*EXP(-Z)
        END IF
        RETURN
      END IF
      IF (IX(IB).GT.0) THEN
        PT(1)=PT(1)+X(11+IX(IB))
        D(1,IX(IB))=1.D0
      END IF
      PT(2)=X(11+IY(IB))
      D(2,IY(IB))=1.D0
      IF (ITH.GT.0) THEN
        S=SIN(X(11+ITH))
        C=COS(X(11+ITH))
        D2(1)=-(A*C-H*S)
        D2(2)=-(A*S+H*C)
        PT(1)=PT(1)-D2(1)
        PT(2)=PT(2)-D2(2)
        D(1,ITH)=D2(2)
        D(2,ITH)=-D2(1)
      ELSE
        PT(1)=PT(1)+A
      END IF
      DO 20 I=1,9
        PV(1)=PV(1)+D(1,I)*X(2+I)
        PV(2)=PV(2)+D(2,I)*X(2+I)
   20 CONTINUE
      RETURN
      END
C
C     The applied forces F; if LDER also their derivatives DP by p and
C     DV by v.
      SUBROUTINE FORCE(T,X,SIGMA,F,LDER,DP,DV)
      IMPLICIT NONE
      DOUBLE PRECISION T,X(20),SIGMA,F(9),DP(9,9),DV(9,9)
      LOGICAL          LDER
      INTEGER          NEL
      PARAMETER        (NEL=7)
      INTEGER          JP(NEL),JQ(NEL),I,J,K,L,ITP,ITQ
      DOUBLE PRECISION AP(NEL),AQ(NEL),HQ(NEL),CK(NEL),CD(NEL),CN(NEL),
     #                 W(9),P(2),PV(2),D(2,9),D2P(2),Q(2),QV(2),
     #                 DQ(2,9),
     #                 D2Q(2),R(2),RV(2),E(2),EL,ELD,S,FE(2),B(9,2),
     #                 FR(2,2),FV(2,2),DR(2,9),SN,CS
      SAVE             JP,JQ,AP,AQ,HQ,CK,CD,CN,W
C     road-wheel 1, wheel 1-chassis, wheel 3-chassis, road-wheel 3,
C     chassis-cabin (two), chassis-load
      DATA JP /0,1,3,0,2,2,2/
      DATA JQ /1,2,2,3,4,4,5/
      DATA AP /-2.06D0,-2.06D0,2.44D0,2.44D0,1.94D0,3.64D0,0.98D0/
      DATA AQ /-2.06D0,-2.06D0,2.44D0,2.44D0,-0.8D0,0.9D0,2.44D0/
      DATA HQ /0.D0,-1.34D0,-1.34D0,4*0.D0/
      DATA CK /44.D5,8.247D5,2.711D5,22.D5,1.357D5,1.357D5,9.D5/
      DATA CD /600.D0,21593.D0,38537.D0,300.D0,12218.D0,12218.D0,
     #         38500.D0/
      DATA CN /-2.329145162D6,-.246872662D6,-.084924838D6,
     #         -1.147434838D6,-.12784288235294D6,-.12720811764706D6,
     #         -.85490594111111D6/
C     Weights
      DATA W /1450.D0,3335.D0,0.D0,600.D0,1100.D0,0.D0,0.D0,11515.D0,
     #        0.D0/
      DO 10 I=1,9
        F(I)=-9.81D0*W(I)
   10 CONTINUE
      IF (LDER) CALL CLEAR(81,DP)
      IF (LDER) CALL CLEAR(81,DV)
      SN=SIN(X(14))
      CS=COS(X(14))
      DO 90 K=1,NEL
        CALL POINT(JP(K),AP(K),0.D0,T,X,P,PV,D,D2P,ITP)
        CALL POINT(JQ(K),AQ(K),HQ(K),T,X,Q,QV,DQ,D2Q,ITQ)
        DO 20 I=1,2
          R(I)=Q(I)-P(I)
          RV(I)=QV(I)-PV(I)
   20   CONTINUE
        EL=SQRT(R(1)**2+R(2)**2)
        E(1)=R(1)/EL
        E(2)=R(2)/EL
        ELD=E(1)*RV(1)+E(2)*RV(2)
        S=CK(K)*EL+CD(K)*ELD+CN(K)
        FE(1)=S*E(1)
        FE(2)=S*E(2)
        DO 40 J=1,9
          DO 30 I=1,2
            D(I,J)=DQ(I,J)-D(I,J)
            B(J,I)=-D(I,J)
   30     CONTINUE
   40   CONTINUE
C       The torque of the axles, see above
        IF (K.EQ.2.OR.K.EQ.3) B(3,1)=AQ(K)*SN-SIGMA*HQ(K)*CS
        DO 50 J=1,9
          F(J)=F(J)+B(J,1)*FE(1)+B(J,2)*FE(2)
   50   CONTINUE
        IF (.NOT.LDER) GOTO 90
        DO 70 I=1,2
          DO 60 J=1,2
            FV(I,J)=CD(K)*E(I)*E(J)
            FR(I,J)=CK(K)*E(I)*E(J)-S/EL*E(I)*E(J)
     #              +CD(K)*E(I)*(RV(J)-ELD*E(J))/EL
   60     CONTINUE
          FR(I,I)=FR(I,I)+S/EL
   70   CONTINUE
C       DR: derivative of RV by p
        CALL CLEAR(18,DR)
        DO 75 I=1,2
          IF (ITQ.GT.0) DR(I,ITQ)=DR(I,ITQ)+D2Q(I)*X(2+ITQ)
          IF (ITP.GT.0) DR(I,ITP)=DR(I,ITP)-D2P(I)*X(2+ITP)
   75   CONTINUE
        DO 85 J=1,9
          DO 80 I=1,2
            DO 78 L=1,9
              DP(L,J)=DP(L,J)+B(L,I)*(FR(I,1)*D(1,J)+FR(I,2)*D(2,J)
     #                +FV(I,1)*DR(1,J)+FV(I,2)*DR(2,J))
              DV(L,J)=DV(L,J)+B(L,I)*(FV(I,1)*D(1,J)+FV(I,2)*D(2,J))
   78       CONTINUE
   80     CONTINUE
   85   CONTINUE
        IF (K.EQ.2.OR.K.EQ.3) THEN
          DP(3,3)=DP(3,3)+FE(1)*(AQ(K)*CS+SIGMA*HQ(K)*SN)
     #            +FE(2)*(AQ(K)*SN+HQ(K)*CS)
        ELSE
          IF (ITQ.GT.0) DP(ITQ,ITQ)=DP(ITQ,ITQ)-D2Q(1)*FE(1)
     #                              -D2Q(2)*FE(2)
        END IF
        IF (ITP.GT.0) DP(ITP,ITP)=DP(ITP,ITP)+D2P(1)*FE(1)
     #                            +D2P(2)*FE(2)
   90 CONTINUE
      RETURN
      END
C
C     Joint of load and chassis: g, gI, (dG/dt)*v, G, and the second
C     derivatives by p9 (column 1) and p3 (column 2)
      SUBROUTINE JOINT(X,G0,G1,G2,G,D2)
      IMPLICIT NONE
      DOUBLE PRECISION X(20),G0(2),G1(2),G2(2),G(2,9),D2(2,2),P(2),
     #                 PV(2),D(2,9)
      INTEGER          I,J,ITH
      CALL POINT(5,-1.61D0,-0.75D0,0.D0,X,G0,G1,G,D2(1,1),ITH)
      CALL POINT(2,-3.07D0,0.15D0,0.D0,X,P,PV,D,D2(1,2),ITH)
      DO 20 I=1,2
        D2(I,2)=-D2(I,2)
        G0(I)=G0(I)-P(I)
        G1(I)=G1(I)-PV(I)
        G2(I)=D2(I,1)*X(11)**2+D2(I,2)*X(5)**2
        DO 10 J=1,9
          G(I,J)=G(I,J)-D(I,J)
   10   CONTINUE
   20 CONTINUE
      RETURN
      END
C
      SUBROUTINE MASSES(A)
      IMPLICIT NONE
      INTEGER          I
      DOUBLE PRECISION A(9),B(9)
      SAVE             B
      DATA B /1450.D0,3335.D0,14313.D0,600.D0,1100.D0,948.D0,
     #        11515.D0,11515.D0,33000.D0/
      DO 10 I=1,9
        A(I)=B(I)
   10 CONTINUE
      RETURN
      END
C
      SUBROUTINE EOM(M,N,T,X,RDA,IOPT,ROPT,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          M,N,IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(N),RDA(M),ROPT(*),RPAR(*)
      DOUBLE PRECISION F(9),G0(2),G1(2),G2(2),G(2,9),D2(2,2),D(81),A(9)
      INTEGER          I,J,L
      CALL FORCE(T,X,RPAR(1),F,.FALSE.,D,D)
      CALL JOINT(X,G0,G1,G2,G,D2)
      CALL MASSES(A)
      L=2
      IF (IOPT(5).EQ.1) L=0
      DO 10 I=1,9
        F(I)=F(I)-G(1,I)*X(1)-G(2,I)*X(2)
        RDA(L+4+I)=F(I)
        RDA(L+13+I)=X(2+I)
   10 CONTINUE
      DO 30 J=1,2
        IF (L.EQ.2) THEN
          RDA(J)=G2(J)
          DO 20 I=1,9
            RDA(J)=RDA(J)+G(J,I)*F(I)/A(I)
   20     CONTINUE
        END IF
        RDA(L+J)=G1(J)
        RDA(L+2+J)=G0(J)
   30 CONTINUE
      RETURN
      END
C
      SUBROUTINE MAS(T,NX,X,M,N,MA,IOPT,ROPT,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          NX,M,N,IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(NX),MA(M,N),ROPT(*),RPAR(*)
      DOUBLE PRECISION A(9)
      INTEGER          I
      CALL CLEAR(M*N,MA)
      CALL MASSES(A)
      DO 10 I=1,9
        MA(I,I)=A(I)
   10 CONTINUE
      RETURN
      END
C
C     NEGATIVE partial derivatives.
      SUBROUTINE JAC(M1,M2,M3,M4,M5,M6,N1,N2,N3,N4,M,N,
     #               T,X,FX1,FX2,FX3,FX4,FX5,FX6,
     #               IOPT,ROPT,RPAR,IPAR,IERR)
      IMPLICIT NONE
      INTEGER          M1,M2,M3,M4,M5,M6,N1,N2,N3,N4,M,N,
     #                 IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(N),FX1(M1,N),FX2(M2,N3+N4),FX3(M3,N4),
     #                 FX4(M4,N),FX5(M5,N),FX6(M6,N3+N4),
     #                 ROPT(*),RPAR(*)
      DOUBLE PRECISION F(9),G0(2),G1(2),G2(2),G(2,9),D2(2,2),DP(9,9),
     #                 DV(9,9),A(9),ACC,D1
      INTEGER          I,J,K,ITH(2)
      SAVE             ITH
      DATA ITH /9,3/
      CALL FORCE(T,X,RPAR(1),F,.TRUE.,DP,DV)
      CALL JOINT(X,G0,G1,G2,G,D2)
      CALL MASSES(A)
      CALL CLEAR(M1*N,FX1)
      CALL CLEAR(M2*(N3+N4),FX2)
      CALL CLEAR(M3*N4,FX3)
      CALL CLEAR(M4*N,FX4)
      CALL CLEAR(M5*N,FX5)
      CALL CLEAR(M6*(N3+N4),FX6)
      DO 30 I=1,9
        DO 10 J=1,2
          FX2(J,I)=-G(J,I)
          FX3(J,I)=-G(J,I)
          FX5(I,J)=G(J,I)
   10   CONTINUE
        DO 20 J=1,9
          FX5(I,2+J)=-DV(I,J)
          FX5(I,11+J)=-DP(I,J)
   20   CONTINUE
        FX6(I,I)=-1.D0
   30 CONTINUE
      DO 50 K=1,2
        I=ITH(K)
        FX5(I,11+I)=FX5(I,11+I)+D2(1,K)*X(1)+D2(2,K)*X(2)
        FX2(1,9+I)=-D2(1,K)*X(2+I)
        FX2(2,9+I)=-D2(2,K)*X(2+I)
   50 CONTINUE
      IF (M1.EQ.0) RETURN
C     Through the accelerations, then with these fixed
      DO 90 J=1,2
        DO 70 K=1,N
          DO 60 I=1,9
            FX1(J,K)=FX1(J,K)+G(J,I)*FX5(I,K)/A(I)
   60     CONTINUE
   70   CONTINUE
        DO 80 K=1,2
          I=ITH(K)
          ACC=(F(I)-G(1,I)*X(1)-G(2,I)*X(2))/A(I)
C         The third derivative by an angle is minus the first.
          D1=G(J,I)
          FX1(J,2+I)=FX1(J,2+I)-2.D0*D2(J,K)*X(2+I)
          FX1(J,11+I)=FX1(J,11+I)-D2(J,K)*ACC+D1*X(2+I)**2
   80   CONTINUE
   90 CONTINUE
      RETURN
      END
C
      SUBROUTINE CLEAR(LENGTH,A)
      IMPLICIT NONE
      INTEGER          LENGTH,I
      DOUBLE PRECISION A(*)
      DO 10 I=1,LENGTH
        A(I)=0.D0
   10 CONTINUE
      RETURN
      END
C
C     Not called (IOUT=0).
      SUBROUTINE SOLOUT(NACCPT,TOLD,T,X,N,NN2,NN3,NN4,CONTX,H,C1M1,
     #                  C2M1,RPAR,IPAR,IERR)
      IMPLICIT NONE
      INTEGER          NACCPT,N,NN2,NN3,NN4,IPAR(*),IERR
      DOUBLE PRECISION TOLD,T,H,X(N),CONTX(NN4),RPAR(*),C1M1,C2M1
      RETURN
      END
C
C     The initial values are consistent: nothing to add.
      SUBROUTINE IVCOND(N,T,X,NCOND,COND,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          N,NCOND,IPAR(*),IERR
      DOUBLE PRECISION T,X(N),COND(NCOND),RPAR(*)
      RETURN
      END
C
C     ---- Checks; the same in every driver, no part of the model. ----
C
C     JACCHK: JAC against central differences of EOM at (T,X); the
C     largest deviation of each block, relative to the row.  All entries
C     of JAC are filled with rubbish before, so that one which is never
C     set is found as well.
      SUBROUTINE JACCHK(NP,NV,NR,NW,NS,NL,NM,NI,T,X,IOPT,ROPT,
     #                  EOM,JAC,RPAR,IPAR,NGOOD,NBAD)
      IMPLICIT NONE
      INTEGER          MAXM,MAXN
      PARAMETER        (MAXM=200,MAXN=120)
      INTEGER          NP,NV,NR,NW,NS,NL,NM,NI,IOPT(*),IPAR(*),
     #                 NGOOD,NBAD
      DOUBLE PRECISION T,X(*),ROPT(*),RPAR(*)
      EXTERNAL         EOM,JAC
      INTEGER          MB(6),NB(6),KB(7),N1,N2,N3,N4,M,N,I,J,K,L,IERR
      DOUBLE PRECISION FX(MAXM*MAXN),XD(MAXN),RP(MAXM),RM(MAXM),D,
     #                 ENTRY,DEV(6),RDEV(MAXM),RSIZE(MAXM)
      SAVE             FX
      LOGICAL          GOOD
      CHARACTER*4      WORD
      N1=NW+NL+NM
      N2=NR
      N3=NV
      N4=NS+NP
      N=N1+N2+N3+N4
      MB(1)=NW
      IF (IOPT(5).EQ.0) MB(1)=N1
      MB(2)=NL+NM+NI
      MB(3)=NS+NL
      MB(4)=NR
      MB(5)=NV
      MB(6)=NP
      NB(1)=N
      NB(2)=N3+N4
      NB(3)=N4
      NB(4)=N
      NB(5)=N
      NB(6)=N3+N4
      KB(1)=1
      M=0
      DO 10 K=1,6
        KB(K+1)=KB(K)+MB(K)*NB(K)
        M=M+MB(K)
        DEV(K)=0.D0
   10 CONTINUE
      DO 15 I=1,M
        RDEV(I)=0.D0
        RSIZE(I)=1.D0
   15 CONTINUE
      DO 20 I=1,MAXM*MAXN
        FX(I)=7.77D7
   20 CONTINUE
      IERR=0
      CALL JAC(MB(1),MB(2),MB(3),MB(4),MB(5),MB(6),N1,N2,N3,N4,M,N,
     #         T,X,FX(KB(1)),FX(KB(2)),FX(KB(3)),FX(KB(4)),
     #         FX(KB(5)),FX(KB(6)),IOPT,ROPT,RPAR,IPAR,IERR)
      DO 30 I=1,N
        XD(I)=X(I)
   30 CONTINUE
      DO 70 J=1,N
        D=6.D-6*(0.1D0+ABS(X(J)))
        XD(J)=X(J)+D
        CALL EOM(M,N,T,XD,RP,IOPT,ROPT,IPAR,RPAR,IERR)
        XD(J)=X(J)-D
        CALL EOM(M,N,T,XD,RM,IOPT,ROPT,IPAR,RPAR,IERR)
        XD(J)=X(J)
        L=0
        DO 60 K=1,6
          DO 50 I=1,MB(K)
            L=L+1
            ENTRY=0.D0
            IF (J.GT.N-NB(K)) ENTRY=
     #        FX(KB(K)+(J-N+NB(K)-1)*MB(K)+I-1)
            RSIZE(L)=MAX(RSIZE(L),ABS(ENTRY))
            RDEV(L)=MAX(RDEV(L),ABS(ENTRY+(RP(L)-RM(L))/(2.D0*D)))
   50     CONTINUE
   60   CONTINUE
   70 CONTINUE
      GOOD=.TRUE.
      L=0
      DO 80 K=1,6
        DO 75 I=1,MB(K)
          L=L+1
          DEV(K)=MAX(DEV(K),RDEV(L)/RSIZE(L))
   75   CONTINUE
        GOOD=GOOD.AND.DEV(K).LE.1.D-6
   80 CONTINUE
      WORD='FAIL'
      IF (GOOD) WORD='OK'
      IF (GOOD) NGOOD=NGOOD+1
      IF (.NOT.GOOD) NBAD=NBAD+1
      WRITE(6,100) T,WORD,(DEV(K),K=1,6)
      RETURN
  100 FORMAT(' JAC against differences, T=',F6.3,' : ',A4,' (',
     #       6(E7.1,1X),', allowed 0.1E-05)')
      END
C
C     VERIFY: a number that must not exceed a bound.
      SUBROUTINE VERIFY(TEXT,VALUE,BOUND,NGOOD,NBAD)
      IMPLICIT NONE
      CHARACTER*(*)    TEXT
      INTEGER          NGOOD,NBAD
      DOUBLE PRECISION VALUE,BOUND
      CHARACTER*4      WORD
      WORD='FAIL'
      IF (VALUE.LE.BOUND) WORD='OK'
      IF (WORD.EQ.'OK') NGOOD=NGOOD+1
      IF (WORD.NE.'OK') NBAD=NBAD+1
      WRITE(6,100) TEXT,WORD,VALUE,BOUND
      RETURN
  100 FORMAT('   ',A,' : ',A4,' (',E8.1,', allowed',E8.1,')')
      END
C
C     DEVMAX: largest deviation, relative where the value exceeds 1.
      DOUBLE PRECISION FUNCTION DEVMAX(N,X,Y)
      IMPLICIT NONE
      INTEGER          N,I
      DOUBLE PRECISION X(*),Y(*)
      DEVMAX=0.D0
      DO 10 I=1,N
        IF (.NOT.ABS(X(I)).LE.1.D300) DEVMAX=1.D300
        DEVMAX=MAX(DEVMAX,ABS(X(I)-Y(I))/MAX(1.D0,ABS(Y(I))))
   10 CONTINUE
      RETURN
      END
C
C     SIZMAX: largest absolute value, for residuals.
      DOUBLE PRECISION FUNCTION SIZMAX(N,X)
      IMPLICIT NONE
      INTEGER          N,I
      DOUBLE PRECISION X(*)
      SIZMAX=0.D0
      DO 10 I=1,N
        IF (.NOT.ABS(X(I)).LE.1.D300) SIZMAX=1.D300
        SIZMAX=MAX(SIZMAX,ABS(X(I)))
   10 CONTINUE
      RETURN
      END
C
C     SHOWRN: how a run was asked for, how it ended, and its counters.
      SUBROUTINE SHOWRN(TEXT,IOPT,IJAC,TOL,IDID,T,IWORK,NGOOD,NBAD)
      IMPLICIT NONE
      CHARACTER*(*)    TEXT
      INTEGER          IOPT(40),IJAC,IDID,IWORK(20),NGOOD,NBAD
      DOUBLE PRECISION TOL,T
      CHARACTER*4      WORD
      WRITE(6,100) TEXT,IOPT(5),IJAC,IOPT(11),TOL
      WORD='FAIL'
      IF (IDID.EQ.0) WORD='OK'
      IF (IDID.EQ.0) NGOOD=NGOOD+1
      IF (IDID.NE.0) NBAD=NBAD+1
      WRITE(6,110) IDID,T,WORD
      WRITE(6,120) IWORK(1),IWORK(10),IWORK(11),IWORK(2),IWORK(4),
     #             IWORK(7)
      RETURN
  100 FORMAT(/1X,A,', FORM=',I1,' IJAC=',I1,' DECOMPC=',I1,
     #       ' TOL=',E8.1)
  110 FORMAT('   finished with IDID=',I6,' at T=',F12.6,' : ',A4)
  120 FORMAT('   NACCPT=',I5,' NERJCT=',I4,' NCRJCT=',I4,' NEOM=',I6,
     #       ' NJAC=',I5,' NEDEC=',I5)
      END
C
C     FINISH: the last line; a failure also shows in the exit status.
      SUBROUTINE FINISH(NGOOD,NBAD)
      IMPLICIT NONE
      INTEGER          NGOOD,NBAD
      WRITE(6,100) NGOOD,NBAD
      IF (NBAD.GT.0) STOP 1
      RETURN
  100 FORMAT(/1X,I3,' checks OK, ',I3,' not')
      END
